// Comfort on the pages of products: suggestions while typing, pictures by drag and drop with progress, their order by
// dragging, and ticking all rows. Everything works without this script, too.
(function () {
  "use strict";

  // Suggestions. A field names the option or feature whose values it takes, or the field that chooses it.
  var pending = null;

  function suggest(field) {
    var source = field.dataset.suggestFrom && document.getElementById(field.dataset.suggestFrom);
    var attribute = source ? source.value : field.dataset.suggest;
    if (!attribute || !field.list) {
      return;
    }
    var address = "/products/values?kind=" + encodeURIComponent(field.dataset.kind) +
      "&attribute=" + encodeURIComponent(attribute) + "&q=" + encodeURIComponent(field.value);
    fetch(address, { credentials: "same-origin" }).then(function (response) {
      return response.ok ? response.json() : [];
    }).then(function (names) {
      field.list.replaceChildren.apply(field.list, names.map(function (name) {
        var option = document.createElement("option");
        option.value = name;
        return option;
      }));
    }, function () {}); // without suggestions, the name is typed
  }

  function later(event) {
    var field = event.target;
    if (!field.matches || !field.matches("input[data-suggest], input[data-suggest-from]")) {
      return;
    }
    clearTimeout(pending);
    pending = setTimeout(function () { suggest(field); }, event.type === "focusin" ? 0 : 150);
  }
  document.addEventListener("input", later);
  document.addEventListener("focusin", later);

  // Pictures.
  function replacePictures(text) {
    var page = new DOMParser().parseFromString(text, "text/html");
    var card = page.getElementById("pictures");
    if (card) {
      document.getElementById("pictures").replaceWith(document.importNode(card, true));
      preparePictures();
      offerPictures(page);
    }
    return page;
  }

  // The rows of the grid offer the images that the product has now. The ticks of the operator stay. A row that is not
  // stored has no counterpart, so it offers the images of the product as another row does.
  function offerPictures(page) {
    var any = page.querySelector("[data-choose]");
    document.querySelectorAll("[data-choose]").forEach(function (row) {
      var id = row.dataset.choose;
      var same = id && page.querySelector('[data-choose="' + CSS.escape(id) + '"]');
      if (!same && !any) {
        return;
      }
      var choices = document.importNode((same || any).querySelector("[data-choices]"), true);
      var old = row.querySelector("[data-choices]");
      choices.querySelectorAll("input").forEach(function (box) {
        var mine = old.querySelector('input[value="' + CSS.escape(box.value) + '"]');
        box.name = row.dataset.field;
        box.checked = mine !== null && mine.checked;
        if (!same && box.parentNode.hasAttribute("data-own")) {
          box.parentNode.remove();
        }
      });
      old.replaceWith(choices);
      showChosen(row);
    });
  }

  // showChosen shows the ticked images of a row of the grid.
  function showChosen(row) {
    var images = Array.prototype.map.call(row.querySelectorAll("input:checked + img"), function (image) {
      var copy = image.cloneNode();
      copy.width = 32;
      copy.height = 32;
      return copy;
    });
    row.querySelector("[data-chosen]").replaceChildren.apply(row.querySelector("[data-chosen]"), images);
  }

  document.addEventListener("change", function (event) {
    var row = event.target.closest("[data-choose]");
    if (row) {
      showChosen(row);
    }
  });

  function uploadOne(address, file, list, done) {
    var row = document.createElement("li");
    var bar = document.createElement("progress");
    bar.max = 100;
    bar.value = 0;
    bar.setAttribute("aria-label", file.name);
    var name = document.createElement("span");
    name.textContent = file.name;
    row.append(name, bar);
    list.append(row);
    var form = new FormData();
    form.append("file", file);
    var request = new XMLHttpRequest();
    request.open("POST", address);
    request.upload.addEventListener("progress", function (event) {
      if (event.lengthComputable) {
        bar.value = 100 * event.loaded / event.total;
      }
    });
    request.addEventListener("load", function () {
      if (request.status < 400) {
        row.remove();
        done(request.responseText);
        return;
      }
      var page = new DOMParser().parseFromString(request.responseText, "text/html");
      var message = page.getElementById("picture-error");
      fail(row, bar, message ? message.textContent : list.dataset.failed);
      done("");
    });
    request.addEventListener("error", function () {
      fail(row, bar, list.dataset.failed);
      done("");
    });
    request.send(form);
  }

  function fail(row, bar, message) {
    var text = document.createElement("span");
    text.className = "wrong";
    text.textContent = message;
    bar.replaceWith(text);
  }

  // Files are sent one after the other: each becomes the last picture.
  function upload(card, files) {
    var list = card.querySelector("[data-uploads]");
    var waiting = Array.prototype.slice.call(files);
    var last = "";
    function next() {
      if (waiting.length > 0) {
        uploadOne(card.dataset.pictures, waiting.shift(), list, function (text) {
          last = text || last;
          next();
        });
        return;
      }
      var failures = Array.prototype.slice.call(list.children);
      if (last) {
        replacePictures(last);
        document.querySelector("[data-uploads]").append.apply(document.querySelector("[data-uploads]"), failures);
      }
    }
    next();
  }

  // send posts a change of the pictures and shows the card again, or says that the change failed.
  function send(card, path, form) {
    fetch(card.dataset.pictures + path, { method: "POST", body: form, credentials: "same-origin" })
      .then(function (response) {
        return response.text().then(function (text) {
          var page = new DOMParser().parseFromString(text, "text/html");
          var message = page.getElementById("picture-error");
          if (!response.ok || !page.getElementById("pictures")) {
            throw new Error(message ? message.textContent : "");
          }
          replacePictures(text);
        });
      }).catch(function (error) { showFailure(card, error.message); });
  }

  function showFailure(card, message) {
    var text = card.querySelector("[data-picture-failure]");
    if (!text) {
      text = document.createElement("p");
      text.className = "wrong";
      text.setAttribute("role", "alert");
      text.dataset.pictureFailure = "";
      card.querySelector("section").prepend(text);
    }
    text.textContent = message || card.dataset.failed;
  }

  function saveOrder(card) {
    var form = new URLSearchParams();
    card.querySelectorAll("[data-picture]").forEach(function (item) {
      form.append("image", item.dataset.picture);
    });
    send(card, "/order", form);
  }

  // The buttons of a picture do what dragging does: the page is not loaded again, so typed text stays.
  document.addEventListener("click", function (event) {
    var button = event.target.closest("[data-picture] button[name=step]");
    if (!button) {
      return;
    }
    event.preventDefault();
    var card = button.closest("[data-pictures]");
    var item = button.closest("[data-picture]");
    if (button.value.indexOf("remove-picture:") === 0) {
      send(card, "/" + item.dataset.picture + "/remove", new URLSearchParams());
      return;
    }
    if (/:earlier$/.test(button.value)) {
      item.parentNode.insertBefore(item, item.previousElementSibling);
    } else {
      item.parentNode.insertBefore(item.nextElementSibling, item);
    }
    saveOrder(card);
  });

  // Enter in a field of a product presses the button beside the field, if it has one. It never saves.
  document.addEventListener("submit", function (event) {
    var button = event.submitter;
    if (!button || button.name !== "step" || button.value !== "enter") {
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    var step = document.activeElement && document.activeElement.dataset.enter;
    var beside = step && event.target.querySelector('button[name="step"][value="' + step + '"]');
    if (beside) {
      setTimeout(function () { beside.click(); }, 0); // a form cannot be submitted during its submit event
    }
  }, true);

  // The grid of variants has the warehouses behind their total, unless this browser shows them.
  var eachWarehouseKey = "each-warehouse";

  function prepareWarehouses() {
    var box = document.querySelector("[data-each-warehouse]");
    if (!box || box.hasAttribute("data-wrong")) {
      return;
    }
    try {
      box.checked = localStorage.getItem(eachWarehouseKey) === "1";
    } catch (_) {
      // Nothing was stored.
    }
  }
  document.addEventListener("change", function (event) {
    var box = event.target;
    if (!box.hasAttribute("data-each-warehouse")) {
      return;
    }
    try {
      localStorage.setItem(eachWarehouseKey, box.checked ? "1" : "0");
    } catch (_) {
      // It stays for this page.
    }
  });
  document.addEventListener("input", function (event) {
    var cell = event.target.closest(".productui-grid td[data-stock]");
    var output = cell && cell.parentNode.querySelector("td[data-stock-total] output");
    if (!output) {
      return;
    }
    var texts = Array.prototype.map.call(cell.parentNode.querySelectorAll("td[data-stock] input.input"),
      function (input) { return input.value.replace(/\s/g, "").replace(",", "."); }).filter(Boolean);
    var total = texts.reduce(function (sum, text) { return sum + Number(text); }, 0);
    output.textContent = texts.length === 0 || isNaN(total) ? "–" :
      total.toLocaleString(document.documentElement.lang, { maximumFractionDigits: 3 });
  });
  prepareWarehouses();

  // Leaving a product with typed text that is not saved needs a confirmation.
  var changed = document.querySelector("form[data-guard][data-changed]") !== null;

  document.addEventListener("input", function (event) {
    var form = event.target.form;
    if (form && form.hasAttribute("data-guard") && !event.target.hasAttribute("data-each-warehouse")) {
      changed = true;
      form.setAttribute("data-changed", "");
    }
  });
  document.addEventListener("submit", function (event) {
    if (event.target.hasAttribute("data-guard")) {
      changed = false;
    }
  });
  // A browser asks only somebody who has used the page; for others it writes an error to the console. A copy of a
  // product has changes from the start.
  window.addEventListener("beforeunload", function (event) {
    if (changed && (!navigator.userActivation || navigator.userActivation.hasBeenActive)) {
      event.preventDefault();
    }
  });

  // Images of a new product wait until it is created. Meanwhile its form is sent by this script, so that the chosen
  // files stay while the page is shown again.
  var waiting = [];

  function showWaiting(card) {
    var list = card.querySelector("[data-uploads]");
    list.replaceChildren.apply(list, waiting.map(function (file, i) {
      var row = document.createElement("li");
      var name = document.createElement("span");
      name.textContent = file.name;
      var button = document.createElement("button");
      button.type = "button";
      button.className = "btn";
      button.dataset.variant = "ghost";
      button.dataset.size = "sm";
      button.textContent = list.dataset.remove;
      button.addEventListener("click", function () {
        waiting.splice(i, 1);
        showWaiting(card);
      });
      row.append(name, button);
      return row;
    }));
  }

  function prepareNew() {
    var card = document.querySelector("[data-new-pictures]");
    if (!card) {
      return;
    }
    card.querySelector("[data-drop]").hidden = false;
    card.querySelector("[data-later]").hidden = true;
    takeFiles(card, function (files) {
      waiting = waiting.concat(Array.prototype.slice.call(files));
      changed = true;
      showWaiting(card);
    });
    showWaiting(card);
  }

  document.addEventListener("submit", function (event) {
    var form = event.target;
    var button = event.submitter;
    if (form.id !== "product-form" || waiting.length === 0 || event.defaultPrevented) {
      return;
    }
    event.preventDefault();
    var fields = new URLSearchParams(new FormData(form));
    if (button && button.name) {
      fields.append(button.name, button.value);
    }
    var target = new URL(button && button.hasAttribute("formaction") ? button.formAction : form.action);
    fetch(target, { method: "POST", body: fields, credentials: "same-origin" }).then(function (response) {
      return response.text().then(function (text) {
        showPage(text, response.redirected ? response.url : "", target.hash);
      });
    }).catch(function () {
      changed = true;
      showFailure(document.querySelector("[data-new-pictures]"));
    });
  });

  // showPage puts the answer to the form in place of the page. A new address is that of the created product, which then
  // gets its images.
  function showPage(text, address, hash) {
    var page = new DOMParser().parseFromString(text, "text/html");
    document.title = page.title;
    var main = document.importNode(page.querySelector("main"), true);
    var first = main.querySelector("[autofocus]");
    if (first) {
      first.removeAttribute("autofocus"); // a document has one focus of its own, which was at its beginning
    }
    document.querySelector("main").replaceWith(main);
    changed = document.querySelector("form[data-guard][data-changed]") !== null;
    if (address) {
      history.replaceState(null, "", address);
    }
    window.htmx.process(document.querySelector("main"));
    preparePictures();
    prepareNew();
    prepareWarehouses();
    var card = document.querySelector("[data-pictures]");
    if (address && card) {
      upload(card, waiting);
      waiting = [];
    }
    var at = hash ? document.getElementById(hash.slice(1)) : first;
    if (at) {
      at.scrollIntoView();
      at.focus();
    }
  }

  function prepareOrder(card) {
    var list = card.querySelector("[data-picture-list]");
    var dragged = null;
    if (!list || !list.querySelector("[draggable]")) {
      return;
    }
    list.addEventListener("dragstart", function (event) {
      dragged = event.target.closest("[data-picture]");
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", dragged.dataset.picture);
    });
    list.addEventListener("dragover", function (event) {
      var over = event.target.closest("[data-picture]");
      if (!dragged || !over) {
        return;
      }
      event.preventDefault();
      if (over !== dragged) {
        var forward = over.compareDocumentPosition(dragged) & Node.DOCUMENT_POSITION_PRECEDING;
        list.insertBefore(dragged, forward ? over.nextSibling : over);
      }
    });
    list.addEventListener("drop", function (event) {
      if (dragged) {
        event.preventDefault();
        saveOrder(card);
      }
    });
    list.addEventListener("dragend", function () { dragged = null; });
  }

  function preparePictures() {
    var card = document.querySelector("[data-pictures]");
    var drop = card && card.querySelector("[data-drop]");
    if (!card) {
      return;
    }
    prepareOrder(card);
    if (!drop) {
      return;
    }
    drop.querySelector("[data-picture-button]").hidden = true;
    takeFiles(card, function (files) { upload(card, files); });
  }

  // takeFiles calls a function with the files that are chosen or dropped.
  function takeFiles(card, take) {
    var drop = card.querySelector("[data-drop]");
    var field = drop.querySelector("[data-picture-file]");
    field.multiple = true;
    drop.querySelector("[data-drop-hint]").hidden = false;
    field.addEventListener("change", function () {
      take(field.files);
      field.value = "";
    });
    ["dragenter", "dragover"].forEach(function (name) {
      drop.addEventListener(name, function (event) {
        event.preventDefault();
        drop.classList.add("over");
      });
    });
    drop.addEventListener("dragleave", function () { drop.classList.remove("over"); });
    drop.addEventListener("drop", function (event) {
      event.preventDefault();
      drop.classList.remove("over");
      if (event.dataTransfer.files.length > 0) {
        take(event.dataTransfer.files);
      }
    });
  }
  preparePictures();
  prepareNew();
  document.addEventListener("htmx:load", function (event) {
    if (event.detail.elt !== document.body) {
      preparePictures();
    }
  });
})();
