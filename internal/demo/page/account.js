// Passwordless login and the customer's account.

import { $, withBusyButton, el, money, showMessage, show } from "./dom.js";
import { call, storage, postOnce } from "./api.js";
import { withCaptcha } from "./captcha.js";
import { onSubmit } from "./forms.js";
import { T } from "./texts.js";

let requestID; // of the code that was requested

const displayName = ({ name, login }) => name || login.email || login.phone;

function render() {
  const customer = storage.get("customer")?.customer;
  $("open-account").textContent = customer ? displayName(customer) : T("Sign in");
  $("account-title").textContent = customer ? T("Your account") : T("Sign in");
  $("profile").hidden = !customer;
  $("confirm").hidden = customer || !requestID;
  $("login").hidden = customer || requestID;
  if (customer) $("who").textContent = displayName(customer);
}

async function listOrders() {
  const { data } = await call("GET", "/v2/orders?per_page=10");
  const submitted = data.filter((order) => order.state !== "draft");
  show($("orders"), submitted.length === 0
    ? el("li", { class: "faint" }, T("None yet."))
    : submitted.map((order) => el("li", {}, el("strong", {}, `№ ${order.number}`), ` ${order.state}, ${order.submitted_at.datetime_at}, ${money(order.total, order.currency)}`)));
}

function open() {
  render();
  $("account").showModal();
  if (!$("login").hidden) $("login").elements.email.focus();
  else if (!$("confirm").hidden) $("confirm").elements.code.focus();
  if (storage.get("customer")) listOrders().catch((problem) => show($("orders"), el("li", { class: "wrong" }, problem.message)));
}

// startAccount sets up the account button and its dialog.
export function startAccount() {
  render();
  $("open-account").addEventListener("click", open);
  addEventListener("signed-out", () => {
    show($("orders")); // the next person must not see them
    render();
  });

  onSubmit($("login"), async (data, notify) => {
    const to = data.email ?? "";
    const address = to.includes("@") || to === "" ? { email: to || undefined } : { phone: to };
    const { data: sent } = await withCaptcha("passwordless_request", (more) => postOnce("/v2/auth/passwordless/request", { ...address, ...more }), notify);
    requestID = sent.request_id;
    $("sent-to").textContent = to;
    render();
    $("confirm").elements.code.focus();
  });

  onSubmit($("confirm"), async (data) => {
    const { data: session } = await postOnce("/v2/auth/passwordless/confirm", { request_id: requestID, code: data.code });
    storage.set("customer", { token: session.token, customer: session.customer });
    requestID = undefined;
    $("confirm").reset();
    $("login").reset();
    render();
    dispatchEvent(new Event("signed-in"));
    await listOrders();
  });

  $("other-address").addEventListener("click", () => {
    requestID = undefined;
    showMessage($("login").querySelector(".said"), "");
    render();
    $("login").elements.email.focus();
  });

  $("sign-out").addEventListener("click", (event) => withBusyButton(event.target, async () => {
    // The session is forgotten here even if the request fails.
    await call("DELETE", "/v2/auth/session").catch(() => {});
    storage.set("customer", null);
    dispatchEvent(new Event("signed-out"));
  }));
}
