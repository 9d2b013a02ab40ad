package onec

import (
	"maps"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/exchange/commerceml"
	"vitrine/internal/shop/order"
)

// maxStates limits the names of states that a store gives a meaning.
const maxStates = 200

// OrderStates returns the states of orders that 1C knows, in their order.
func OrderStates() []order.State {
	return []order.State{order.Submitted, order.Confirmed, order.Completed, order.Cancelled}
}

// stateNames returns the names of a state by language.
func stateNames(state order.State) map[string]string {
	return map[order.State]map[string]string{
		order.Submitted: {"en": "Submitted", "ru": "Новый", "de": "Eingegangen", "es": "Enviado", "fr": "Envoyée",
			"uk": "Новий", "kk": "Жаңа"},
		order.Confirmed: {"en": "Confirmed", "ru": "Подтверждён", "de": "Bestätigt", "es": "Confirmado",
			"fr": "Confirmée", "uk": "Підтверджено", "kk": "Расталды"},
		order.Completed: {"en": "Completed", "ru": "Выполнен", "de": "Abgeschlossen", "es": "Completado",
			"fr": "Terminée", "uk": "Виконано", "kk": "Орындалды"},
		order.Cancelled: {"en": "Cancelled", "ru": "Отменён", "de": "Storniert", "es": "Cancelado", "fr": "Annulée",
			"uk": "Скасовано", "kk": "Бас тартылды"},
	}[state]
}

func stateName(state order.State, locale string) string {
	language, _, _ := strings.Cut(locale, "-")
	if name := stateNames(state)[language]; name != "" {
		return name
	}
	return string(state)
}

// DefaultStateNames returns the names that a state has in УТ, УНФ, Розница and Bitrix by default.
func DefaultStateNames(state order.State) []string {
	return map[order.State][]string{
		order.Submitted: {"На согласовании", "Не согласован", "Новый заказ", "[N] Принят", "N"},
		order.Confirmed: {"К выполнению", "К обеспечению", "К отгрузке", "Согласован", "В работе", "В резерве",
			"[A] Принят", "[P] Оплачен", "P"},
		order.Completed: {"Отгружен", "Закрыт", "Завершён", "Доставлен", "[F] Выполнен", "F"},
		order.Cancelled: {"Отменен", "Аннулирован", "[C] Отменён", "[C] Отменен"},
	}[state]
}

// stateNamed returns the state with a name: its own or its name in a language, else the state that the store gives to
// the name, else the one whose name it is in 1C and Bitrix by default.
func stateNamed(name string, chosen map[string]order.State) (order.State, bool) {
	if name == "" {
		return "", false
	}

	isName := func(known string) bool { return commerceml.SameText(name, known) }
	for _, state := range OrderStates() {
		if isName(string(state)) || slices.ContainsFunc(slices.Collect(maps.Values(stateNames(state))), isName) {
			return state, true
		}
	}

	for known, state := range chosen {
		if isName(known) {
			return state, true
		}
	}

	for _, state := range OrderStates() {
		if slices.ContainsFunc(DefaultStateNames(state), isName) {
			return state, true
		}
	}

	return "", false
}

// checkStates returns the names of states without spaces around them, and what is wrong with them.
func checkStates(sent map[string]string) (states map[string]order.State, wrong []fault.Field) {
	states = map[string]order.State{}
	for _, sentName := range slices.Sorted(maps.Keys(sent)) {
		name := strings.Join(strings.Fields(sentName), " ")
		state := order.State(sent[sentName])
		switch {
		case name == "" || len([]rune(name)) > maxSettingText:
			wrong = append(wrong, fault.NewField("commerceml.states", "invalid",
				"The name of a state in 1C has 1 to %d characters.", maxSettingText))
		case !slices.Contains(OrderStates(), state):
			wrong = append(wrong, fault.NewField("commerceml.states", "unknown_value",
				"The state %.60s of 1C must be one of submitted, confirmed, completed or cancelled.", name))
		default:
			states[name] = state
		}
	}

	if len(states) > maxStates {
		wrong = append(wrong, fault.NewField("commerceml.states", "too_many",
			"At most %d states of 1C can be given a meaning.", maxStates))
	}

	return states, wrong
}

// statesText returns the states of a store for the log.
func statesText(states map[string]order.State) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(states)) {
		list = append(list, name+" = "+string(states[name]))
	}
	return strings.Join(list, ", ")
}
