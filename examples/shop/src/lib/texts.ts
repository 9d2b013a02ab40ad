// What the shop itself says, in English and Russian. Names and descriptions are the store's.
const en = {
  home: "Home", catalogue: "Catalogue", menu: "Menu", search: "Search", searchHint: "What are you looking for?",
  account: "Account", cart: "Cart", skip: "To the content", popular: "Popular now", categories: "Categories",
  newest: "New", all: "All products",
  filters: "Filters", show: "Show", reset: "Reset all", price: "Price", from: "from", to: "to",
  inStockOnly: "In stock only", sort: "Sort by",
  sort_popularity: "popular first", sort_price: "cheap first", "sort_-price": "expensive first",
  "sort_-created_at": "new first", sort_name: "by name", sort_relevance: "relevance",
  products: { one: "product", other: "products" },
  nothing: "Nothing fits. Take a filter away, or look for something else.",
  nothingFor: "Nothing found for", nothingHint: "Try another word, or begin at the catalogue.", insteadOf: "Nothing was found for",
  pages: "Pages", previous: "Previous", next: "Next", page: "Page", remove: "Remove",
  searchInstead: "Search instead for", showResults: "Show results for", exactly: "Nothing has exactly",
  shownWithout: "No product has all the words. Shown without", foundFor: "Found for", quoted: "“{text}”", fromPrice: "from", noPrice: "Not for sale now",
  inStock: "In stock", left: "only {n} left", soldOut: "Sold out", add: "Add to cart", quantity: "Quantity",
  description: "Description", features: "Features", sku: "Item no.", none: "None", required: "choose one",
  cartEmpty: "Your cart is empty.", toShop: "To the catalogue", toProduct: "Back to the product",
  total: "Total", checkout: "To checkout",
  update: "Update", cartTitle: "Your cart", lineGone: "Not for sale any more. Please remove this line.",
  checkoutTitle: "Checkout", name: "Name", phone: "Phone", email: "E-mail", address: "Address",
  deliveryComment: "For the courier", comment: "Comment", order: "Order", yourOrder: "Your order",
  contactHint: "A phone number or an e-mail address is needed.", captchaNeedsScript:
    "This shop protects orders and sign-in by a captcha, which needs JavaScript.",
  thanks: "Thank you!", orderNumber: "Order", orderState: "State", ordered: "Ordered",
  state_draft: "cart", state_submitted: "submitted", state_confirmed: "confirmed", state_completed: "completed",
  state_cancelled: "cancelled", delivery: "Delivery", contact: "Contact",
  signIn: "Sign in", signInHint: "We send you a code. There is no password.", sendCode: "Send a code",
  code: "Code from the message", confirm: "Sign in", otherEmail: "Another address", signOut: "Sign out",
  codeSent: "We have sent a code to", orders: "Your orders", noOrders: "There are no orders yet.", save: "Save",
  notFound: "Page not found",
  notFoundHint: "The page may have moved. Search for it, or begin at the catalogue.",
};

type Texts = typeof en;

const ru: { [K in keyof Texts]: Texts[K] extends string ? string : Record<string, string> } = {
  home: "Главная", catalogue: "Каталог", menu: "Меню", search: "Найти", searchHint: "Что вы ищете?",
  account: "Кабинет", cart: "Корзина", skip: "К содержанию", popular: "Популярное", categories: "Разделы",
  newest: "Новинки", all: "Все товары",
  filters: "Фильтры", show: "Показать", reset: "Сбросить", price: "Цена", from: "от", to: "до",
  inStockOnly: "Только в наличии", sort: "Порядок",
  sort_popularity: "сначала популярные", sort_price: "сначала дешёвые", "sort_-price": "сначала дорогие",
  "sort_-created_at": "сначала новые", sort_name: "по названию", sort_relevance: "по совпадению",
  products: { one: "товар", few: "товара", other: "товаров" },
  nothing: "Ничего не подошло. Снимите фильтр или измените запрос.",
  nothingFor: "Ничего не найдено по запросу", nothingHint: "Измените запрос или начните с каталога.",
  insteadOf: "Ничего не нашлось по запросу",
  pages: "Страницы", previous: "Назад", next: "Дальше", page: "Страница", remove: "Убрать",
  searchInstead: "Искать именно", showResults: "Показать результаты по запросу", exactly: "Ни у одного товара нет в точности",
  shownWithout: "Товаров со всеми словами нет. Показано без", foundFor: "Найдено по запросу", quoted: "«{text}»", fromPrice: "от", noPrice: "Сейчас не продаётся",
  inStock: "В наличии", left: "осталось {n}", soldOut: "Нет в наличии", add: "В корзину", quantity: "Количество",
  description: "Описание", features: "Характеристики", sku: "Артикул", none: "Не нужно",
  required: "выберите одно",
  cartEmpty: "В корзине пусто.", toShop: "В каталог", toProduct: "Вернуться к товару",
  total: "Итого", checkout: "Оформить заказ",
  update: "Изменить", cartTitle: "Корзина", lineGone: "Больше не продаётся. Уберите эту строку.",
  checkoutTitle: "Оформление заказа", name: "Имя", phone: "Телефон", email: "Эл. почта", address: "Адрес",
  deliveryComment: "Для курьера", comment: "Комментарий", order: "Заказать", yourOrder: "Ваш заказ",
  contactHint: "Нужен телефон или адрес эл. почты.", captchaNeedsScript:
    "Заказы и вход в этом магазине защищены капчей, которой нужен JavaScript.",
  thanks: "Спасибо!", orderNumber: "Заказ", orderState: "Состояние", ordered: "Оформлен",
  state_draft: "корзина", state_submitted: "оформлен", state_confirmed: "подтверждён", state_completed: "выполнен",
  state_cancelled: "отменён", delivery: "Доставка", contact: "Получатель",
  signIn: "Вход", signInHint: "Мы пришлём код. Пароль не нужен.", sendCode: "Прислать код",
  code: "Код из письма", confirm: "Войти", otherEmail: "Другой адрес", signOut: "Выйти",
  codeSent: "Мы отправили код на", orders: "Ваши заказы", noOrders: "Заказов пока нет.", save: "Сохранить",
  notFound: "Страница не найдена",
  notFoundHint: "Возможно, её перенесли. Воспользуйтесь поиском или начните с каталога.",
};

// The messages of the API are English. These are the codes of what visitors do wrong.
const problemsInRussian: Record<string, string> = {
  required: "Заполните обязательные поля: имя и телефон или адрес эл. почты.",
  invalid_email: "В адресе эл. почты есть @: например, name@example.com.",
  invalid_phone: "В номере телефона от 7 до 15 цифр, с кодом страны: например, +7 999 123-45-67.",
  invalid_code: "Код неверен, использован или устарел. Проверьте его или запросите новый.",
  out_of_range: "Такое количество заказать нельзя.",
  out_of_stock: "Столько нет в наличии. Уменьшите количество в корзине.",
  not_for_sale: "Товар больше не продаётся. Уберите его из корзины.",
  order_empty: "В корзине пусто.",
  modifier_required: "Выберите обязательное дополнение.",
  too_few_modifiers: "Выбрано слишком мало дополнений.",
  too_many_modifiers: "Выбрано слишком много дополнений.",
  unknown_modifier: "Этого дополнения больше нет.",
  unknown_modifier_group: "Этого дополнения больше нет.",
  captcha_required: "Капча не пройдена. Попробуйте ещё раз.",
  captcha_failed: "Капча не пройдена. Попробуйте ещё раз.",
  captcha_unavailable: "Капча сейчас недоступна. Попробуйте позже.",
  too_many_requests: "Слишком много запросов. Попробуйте позже.",
  unreachable: "Магазин сейчас не отвечает. Попробуйте через минуту.",
};

export type Language = "en" | "ru";
type Plain = { [K in keyof Texts as Texts[K] extends string ? K : never]: string };

/** The texts, and how amounts, dates and counts are written. */
export const speak = (language: Language, currency: string, timezone: string) => {
  const texts = language === "ru" ? ru : en;
  const whole = new Intl.NumberFormat(language, { style: "currency", currency, maximumFractionDigits: 0 });
  const exact = new Intl.NumberFormat(language,
    { style: "currency", currency, minimumFractionDigits: 2, maximumFractionDigits: 4 });
  const date = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: timezone });
  const plural = new Intl.PluralRules(language);
  const number = new Intl.NumberFormat(language);
  const plain = new Intl.NumberFormat(language, { useGrouping: false, maximumFractionDigits: 6 });
  return {
    language,
    t: texts as Plain,
    /** What a problem of the API says to people. */
    problem: (code: string, message: string) => (language === "ru" && problemsInRussian[code]) || message,
    /** Whole amounts have no cents. */
    money: (value: number) => (Number.isInteger(value) ? whole : exact).format(value),
    date: (text: string) => date.format(new Date(text)),
    number: (value: number) => number.format(value),
    /** The number of a feature: it may be a year. */
    plain: (value: number) => plain.format(value),
    count: (value: number, what: "products") => {
      const forms: Record<string, string> = texts[what];
      return `${number.format(value)} ${forms[plural.select(value)] ?? forms.other}`;
    },
  };
};

export type Speech = ReturnType<typeof speak>;
