// The button that prints a page is hidden without scripts: the browser's own menu prints the page as well. A page that was
// opened to be printed opens the dialog by itself, but not when one comes back to it or loads it again.
(function () {
  "use strict";
  var buttons = document.querySelectorAll("[data-print]");
  buttons.forEach(function (button) {
    button.hidden = false;
    button.addEventListener("click", function () {
      window.print();
    });
  });

  var opened = performance.getEntriesByType("navigation")[0];
  if (buttons.length && opened && opened.type === "navigate") {
    window.addEventListener("load", function () {
      window.print();
    });
  }
})();
