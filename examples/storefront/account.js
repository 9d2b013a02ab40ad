// Signing in without a password, and what a customer sees then.

import { $, busy, el, money, say, show } from "./dom.js";
import { call, memory, postOnce } from "./api.js";
import { admitted } from "./captcha.js";
import { onSubmit } from "./forms.js";

let request; // what the code that is on its way belongs to

const called = ({ name, login }) => name || login.email || login.phone;

function render() {
  const customer = memory.get("customer")?.customer;
  $("open-account").textContent = customer ? called(customer) : "Sign in";
  $("account-title").textContent = customer ? "Your account" : "Sign in";
  $("profile").hidden = !customer;
  $("confirm").hidden = customer || !request;
  $("login").hidden = customer || request;
  if (customer) $("who").textContent = called(customer);
}

async function listOrders() {
  const { data } = await call("GET", "/v2/orders?per_page=10");
  const submitted = data.filter((order) => order.state !== "draft");
  show($("orders"), submitted.length === 0
    ? el("li", { class: "faint" }, "None yet.")
    : submitted.map((order) => el("li", {}, el("strong", {}, `№ ${order.number}`), ` ${order.state}, ${order.submitted_at.datetime_at}, ${money(order.total, order.currency)}`)));
}

function open() {
  render();
  $("account").showModal();
  if (memory.get("customer")) listOrders().catch((problem) => show($("orders"), el("li", { class: "wrong" }, problem.message)));
}

// startAccount makes the button in the header work.
export function startAccount() {
  render();
  $("open-account").addEventListener("click", open);
  addEventListener("signed-out", render);

  onSubmit($("login"), async (data, tell) => {
    const to = data.email ?? "";
    const address = to.includes("@") || to === "" ? { email: to || undefined } : { phone: to };
    const { data: sent } = await admitted("passwordless_request", (more) => postOnce("/v2/auth/passwordless/request", { ...address, ...more }), tell);
    request = sent.request_id;
    $("sent-to").textContent = to;
    render();
    $("confirm").elements.code.focus();
  });

  onSubmit($("confirm"), async (data) => {
    const { data: session } = await postOnce("/v2/auth/passwordless/confirm", { request_id: request, code: data.code });
    memory.set("customer", { token: session.token, customer: session.customer });
    request = undefined;
    $("confirm").reset();
    $("login").reset();
    render();
    await listOrders();
  });

  $("other-address").addEventListener("click", () => {
    request = undefined;
    say($("login").querySelector(".said"), "");
    render();
    $("login").elements.email.focus();
  });

  $("sign-out").addEventListener("click", (event) => busy(event.target, async () => {
    await call("DELETE", "/v2/auth/session").catch(() => {}); // whatever it answers, this browser forgets it
    memory.set("customer", null);
    render();
  }));
}
