// The page follows the theme of the system.
(function () {
  'use strict';
  var reference = document.getElementById('reference');
  var dark = window.matchMedia('(prefers-color-scheme: dark)');
  function follow() {
    reference.setAttribute('theme', dark.matches ? 'dark' : 'light');
  }
  dark.addEventListener('change', follow);
  follow();
})();
