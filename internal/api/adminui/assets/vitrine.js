// Copy buttons: each stands beside the field that it copies, hidden until it can work. Parts that refresh themselves keep what they show
// when an answer is an error, and ask again.
(function () {
  "use strict";

  function ready(root) {
    if (!navigator.clipboard) {
      return; // only secure pages have one; the field can still be copied by hand
    }
    root.querySelectorAll("button[data-copy]").forEach(function (button) {
      button.hidden = false;
    });
  }

  document.addEventListener("click", function (event) {
    var button = event.target.closest("button[data-copy]");
    var field = button && document.getElementById(button.dataset.copy);
    if (!field) {
      return;
    }
    field.select();
    navigator.clipboard.writeText(field.value).then(
      function () {
        button.textContent = "Copied";
      },
      function () {
        button.textContent = "Press Ctrl+C";
      }
    );
  });

  document.addEventListener("focusin", function (event) {
    if (event.target.matches("textarea[data-select]")) {
      event.target.select();
    }
  });

  document.addEventListener("htmx:beforeSwap", function (event) {
    if (event.detail.xhr.status >= 400 && event.detail.target.hasAttribute("data-live")) {
      event.detail.shouldSwap = false;
    }
  });

  document.addEventListener("htmx:load", function (event) {
    ready(event.detail.elt.parentNode || document);
  });
  ready(document);
})();
