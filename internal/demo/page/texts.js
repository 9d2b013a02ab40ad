// The language of the page: English, or Russian for a store with a Russian locale.

// Texts and plurals by their English, in which they stand in the page and in the code. %s stands for a value.
const russian = {
  "Storefront": "Витрина",
  "Skip to the products": "К товарам",
  "Search the products": "Поиск товаров",
  "Search by name or article number": "Название или артикул",
  "Search": "Найти",
  "Suggestions": "Подсказки",
  "Yours": "Ваше",
  "Sign in": "Войти",
  "Cart": "Корзина",
  "Which shop?": "Какой магазин?",
  "Give the publishable key of a store. It may only read the catalogue and do what shoppers do, so it may stand in a page.":
    "Укажите публичный ключ магазина. С ним можно только читать каталог и делать то, что делают покупатели, поэтому он может стоять на странице.",
  "Publishable key": "Публичный ключ",
  "Open the shop": "Открыть магазин",
  "prints a key when it runs for the first time, with a link that opens this page;": "при первом запуске печатает ключ и ссылку на эту страницу;",
  "makes another.": "создаёт ещё один.",
  "Filters": "Фильтры",
  "Products": "Товары",
  "Sort by": "Сортировка",
  "the shop’s order": "как в магазине",
  "relevance": "по релевантности",
  "popularity": "по популярности",
  "name": "по названию",
  "price, low to high": "сначала дешёвые",
  "price, high to low": "сначала дорогие",
  "newest": "сначала новые",
  "Pages": "Страницы",
  "Tell us something": "Напишите нам",
  "Your name": "Ваше имя",
  "E-mail, if you want an answer": "Почта, если нужен ответ",
  "Message": "Сообщение",
  "Send the message": "Отправить сообщение",
  "Shall we call you?": "Перезвонить вам?",
  "Phone number": "Телефон",
  "When is a good time?": "Когда удобно?",
  "Ask for a call": "Попросить перезвонить",
  "An example that uses the public API alone.": "Пример, который использует только публичный API.",
  "How it works": "Как он устроен",
  "Another key": "Другой ключ",
  "Your cart": "Корзина",
  "Your order": "Ваш заказ",
  "Close the cart": "Закрыть корзину",
  "There is nothing in it yet.": "Здесь пока пусто.",
  "Total": "Итого",
  "Where shall it go?": "Куда доставить?",
  "E-mail": "Почта",
  "Phone": "Телефон",
  "Address": "Адрес",
  "Anything else?": "Что-нибудь ещё?",
  "Order": "Заказать",
  "A captcha keeps robots from ordering.": "Капча не даёт заказывать роботам.",
  "Thank you. Your order number is": "Спасибо. Номер вашего заказа —",
  "Go on shopping": "Продолжить покупки",
  "Close": "Закрыть",
  "No password: a code is sent to you.": "Пароль не нужен: мы пришлём код.",
  "E-mail or phone": "Почта или телефон",
  "Send me a code": "Прислать код",
  "A code is on its way to": "Код отправлен:",
  ". On a shop without a mail server it lies in the mailbox of its administration.": ". В магазине без почтового сервера он лежит в ящике администрации.",
  "Code": "Код",
  "Send it elsewhere": "Отправить на другой адрес",
  "You are signed in as": "Вы вошли как",
  "Your orders": "Ваши заказы",
  "Sign out": "Выйти",

  "This is a secret key. It must never be in a page; take the publishable one, which begins with pk_.":
    "Это секретный ключ. Ему нельзя быть на странице; возьмите публичный, он начинается с pk_.",
  "A publishable key begins with pk_.": "Публичный ключ начинается с pk_.",
  "No store has this key, or it was revoked.": "Такого ключа нет ни у одного магазина, или он отозван.",
  "The shop cannot be reached. Check the connection and try again.": "Магазин недоступен. Проверьте соединение и попробуйте ещё раз.",
  "The shop answered %s.": "Магазин ответил %s.",

  "product": ["товар", "товара", "товаров"],
  "variant": ["вариант", "варианта", "вариантов"],
  "suggestion": ["подсказка", "подсказки", "подсказок"],
  "“%s”": "«%s»",
  "Showing results for %s.": "Показаны результаты по запросу %s.",
  "Search instead for %s": "Искать %s",
  "Nothing has %s exactly as it is written.": "Точно по запросу %s ничего нет.",
  "Show results for %s": "Показать результаты по запросу %s",
  "No product has all the words. Shown without %s.": "Все слова сразу не подходят ни к одному товару. Показано без %s.",
  "Shown without %s.": "Показано без %s.",
  "Nothing was found for %s.": "По запросу %s ничего не нашлось.",
  "Try fewer words, or a more general one.": "Попробуйте меньше слов или слово пообщее.",
  "Nothing fits.": "Ничего не подходит.",
  "Nothing for %s fits these filters.": "По запросу %s с этими фильтрами ничего не нашлось.",
  "The search is getting ready: only words as they are written are found now.": "Поиск ещё готовится: сейчас находятся только слова так, как они написаны.",
  "People search for": "Часто ищут",
  "Categories": "Категории",
  "Features": "Свойства",
  "Show all products": "Показать все товары",
  "This shop sells nothing yet": "В этом магазине пока нет товаров",
  "Fill it with a made-up catalogue: ": "Наполните его вымышленным каталогом: ",
  "Or push your own, as JSON, NDJSON or CSV: ": "Или загрузите свой: JSON, NDJSON или CSV: ",
  "Look again": "Проверить ещё раз",
  "Not for sale": "Не продаётся",
  "from ": "от ",
  "Page %s": "Страница %s",
  "The page before": "Предыдущая страница",
  "The next page": "Следующая страница",
  "Old price": "Старая цена",
  "In stock": "В наличии",
  "Sold out": "Нет в наличии",
  "Only %s left": "Осталось всего %s",
  "In stock: %s": "В наличии: %s",

  "Price": "Цена",
  "Only what is in stock": "Только в наличии",
  "Show %s": "Показать %s",
  "Filters: %s": "Фильтры: %s",
  "Close the filters": "Закрыть фильтры",
  "All categories": "Все категории",
  "This category": "Эта категория",
  "Category": "Категория",
  "Show all %s": "Показать все %s",
  "at least": "от",
  "at most": "до",
  "remove": "убрать",
  "Clear all": "Сбросить всё",

  "Product not found": "Товар не найден",
  "Breadcrumbs": "Где находится товар",
  "There is no such page in this shop.": "Такой страницы в магазине нет.",
  "Prices by quantity": "Цены по количеству",
  "How many": "Сколько",
  "Add to cart": "В корзину",
  "from %s: ": "от %s: ",
  "Picture %s": "Картинка %s",
  "Variant": "Вариант",
  "not for sale": "не продаётся",
  "Not available with the other selected values": "Нет вместе с другими выбранными значениями",

  "Cart, %s in it": "Корзина, в ней %s",
  "Order for %s": "Заказать за %s",
  "Not for sale any more": "Больше не продаётся",
  "None": "Не нужно",
  "at least %s": "не меньше %s",
  "at most %s": "не больше %s",
  "%s each": "%s за штуку",
  "Less of %s": "Меньше: %s",
  "How many of %s": "Сколько: %s",
  "More of %s": "Больше: %s",
  "Take %s out": "Убрать: %s",
  "Remove": "Убрать",
  "Sending your order…": "Отправляем заказ…",
  "This cart has expired. Start a new one.": "Срок корзины истёк. Начните новую.",
  "%s for %s.": "%s за %s.",

  "Your account": "Ваш кабинет",
  "None yet.": "Пока нет.",

  "That was too often. Try again in %s seconds.": "Слишком часто. Попробуйте через %s с.",
  "Thank you, we have got your message.": "Спасибо, мы получили ваше сообщение.",
  "Thank you, we will call you.": "Спасибо, мы вам перезвоним.",
  "The captcha did not load, so nothing was sent. Does something in your browser block it?":
    "Капча не загрузилась, поэтому ничего не отправлено. Может быть, её блокирует браузер?",
  "The captcha rejected this request. Trying once more with a new token…": "Капча отклонила запрос. Пробуем ещё раз…",
  "The captcha is not available, so nothing was sent. Try again in a minute.": "Капча недоступна, поэтому ничего не отправлено. Попробуйте через минуту.",
  "The captcha rejected the request twice, so nothing was sent. Try again later, or contact us in another way.":
    "Капча дважды отклонила запрос, поэтому ничего не отправлено. Попробуйте позже или свяжитесь с нами иначе.",
};

let texts = {};
let pluralRules = new Intl.PluralRules("en");

// T returns a text in the language of the page, with the values in the places of %s.
export function T(english, ...values) {
  return (texts[english] ?? english).replace(/%s/g, () => values.shift());
}

// P returns the nodes of a text with elements among its values.
export function P(english, ...values) {
  return (texts[english] ?? english).split("%s").flatMap((part, i) => i === 0 ? [part] : [values[i - 1], part]);
}

// count returns a number with its noun: 1 product, 2 products.
export function count(n, noun, number) {
  const forms = texts[noun];
  const word = forms ? forms[{ one: 0, few: 1 }[pluralRules.select(n)] ?? 2] : pluralRules.select(n) === "one" ? noun : `${noun}s`;
  return `${number(n)} ${word}`;
}

// useLanguage sets the language of a locale and translates the page as it was loaded.
export function useLanguage(locale) {
  const before = texts;
  texts = /^ru\b/i.test(locale ?? "") ? russian : {};
  if (texts === before) return;
  document.documentElement.lang = texts === russian ? "ru" : "en";
  pluralRules = new Intl.PluralRules(document.documentElement.lang);
  translatePage(before);
}

// translatePage translates the texts and the attributes of the page. before are the texts that it has.
function translatePage(before) {
  const english = new Map(Object.entries(before).map(([key, text]) => [text, key]));
  const translated = (text) => {
    const trimmed = text.trim().replace(/\s+/g, " ");
    const key = english.get(trimmed) ?? trimmed;
    return key && (texts[key] !== undefined || key !== trimmed) ? text.replace(text.trim(), texts[key] ?? key) : text;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.nodeType === Node.TEXT_NODE) {
      if (translated(node.data) !== node.data) node.data = translated(node.data);
      continue;
    }
    for (const name of ["placeholder", "aria-label", "title"]) {
      if (node.hasAttribute(name)) node.setAttribute(name, translated(node.getAttribute(name)));
    }
  }
}
