// Copy buttons: each copies the field beside it and is hidden unless the clipboard is available. Elements that refresh
// themselves (data-live) keep their content when a response is an error, and try again.
(function () {
  "use strict";

  function showCopyButtons(root) {
    if (!navigator.clipboard) {
      return; // only secure contexts have a clipboard; the field can still be copied by hand
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
    showCopyButtons(event.detail.elt.parentNode || document);
  });
  showCopyButtons(document);
})();
