// Forms. Their fields have the names of the API's members, so that errors can be shown at the fields.

import { $, withBusyButton, el, showMessage } from "./dom.js";
import { postOnce } from "./api.js";
import { withCaptcha, captchaMessage } from "./captcha.js";
import { T } from "./texts.js";

// readForm returns the values of a form. A field named contact.name becomes the member name of the member contact.
// Empty fields are omitted.
export function readForm(form) {
  const data = {};
  for (const field of form.elements) {
    const value = field.value?.trim();
    if (!field.name || !value) continue;
    const path = field.name.split(".");
    const last = path.pop();
    path.reduce((at, name) => at[name] ??= {}, data)[last] = value;
  }
  return data;
}

// clearErrors removes the errors of an earlier attempt.
export function clearErrors(form) {
  for (const field of form.elements) {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
  form.querySelectorAll("p.wrong").forEach((message) => message.remove());
  showMessage(form.querySelector(".said"), "");
}

// clearError removes the error of a field, whose value is being corrected.
function clearError(field) {
  const id = field.getAttribute("aria-describedby");
  if (!id) return;
  field.removeAttribute("aria-invalid");
  field.removeAttribute("aria-describedby");
  $(id)?.remove();
}

// showProblem shows a problem: each error at its field, the first of which gets the focus, and everything else below
// the fields.
export function showProblem(form, problem) {
  const others = [];
  let first;
  for (const error of problem.errors ?? []) {
    const field = [...form.elements].find((f) => f.name && (f.name === error.field || f.dataset.also?.split(" ").includes(error.field)));
    if (!field) {
      others.push(error.message);
      continue;
    }
    const id = `${form.id}-${field.name}-wrong`;
    if (!$(id)) field.closest("label").after(el("p", { class: "wrong", id }, error.message));
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", id);
    first ??= field;
  }
  const said = form.querySelector(".said");
  if (problem.isCaptcha) showMessage(said, captchaMessage(problem), "bad");
  else if (others.length > 0) showMessage(said, others.join(" "), "bad");
  else showMessage(said, first ? "" : rateLimitMessage(problem) ?? problem.message, "bad");
  first?.focus();
}

function rateLimitMessage(problem) {
  return problem.status === 429 && problem.retryAfter ? T("That was too often. Try again in %s seconds.", problem.retryAfter) : null;
}

// onSubmit calls work when a form is submitted, and shows the problem if it fails. work gets the values of the form and
// a function to show progress messages.
export function onSubmit(form, work) {
  form.addEventListener("input", (event) => clearError(event.target));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = form.querySelector('button[type="submit"]');
    withBusyButton(button, async () => {
      clearErrors(form);
      try {
        await work(readForm(form), (text) => showMessage(form.querySelector(".said"), text, "busy"));
      } catch (problem) {
        // It is a bug of this page: report it in the console.
        if (problem.errors === undefined) throw problem;
        showProblem(form, problem);
      }
    });
  });
}

// startInquiries sets up the feedback and the callback form.
export function startInquiries() {
  const inquiry = (form, action, path, thanks) => onSubmit(form, async (data, notify) => {
    await withCaptcha(action, (more) => postOnce(path, { ...data, ...more }), notify);
    form.reset();
    showMessage(form.querySelector(".said"), thanks, "good");
  });
  inquiry($("feedback"), "feedback_request", "/v2/feedback", T("Thank you, we have got your message."));
  inquiry($("callback"), "callback_request", "/v2/interactions/callback", T("Thank you, we will call you."));
}
