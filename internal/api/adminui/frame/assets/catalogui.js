// Moves values and categories by dragging, and categories with Alt and the arrow keys. Every move is a form of the page,
// so that all of them work without this script, too.
(function () {
  "use strict";

  var dragged = null;

  function clearMarks() {
    document
      .querySelectorAll(".catalogui-before, .catalogui-after, .catalogui-inside, .catalogui-over, .catalogui-under")
      .forEach(function (element) {
        element.classList.remove(
          "catalogui-before",
          "catalogui-after",
          "catalogui-inside",
          "catalogui-over",
          "catalogui-under"
        );
      });
  }

  // below reports whether the pointer is in the lower part of an element, which begins at a share of its height.
  function below(event, element, share) {
    var box = element.getBoundingClientRect();
    return event.clientY - box.top > box.height * share;
  }

  function prepare() {
    document.querySelectorAll("[data-sortable] tbody tr").forEach(function (row) {
      row.draggable = false;
      var grip = row.querySelector("[data-grip]");
      if (grip) {
        grip.hidden = false;
        grip.draggable = true;
      }
    });
    document.querySelectorAll("[data-tree] .catalogui-node").forEach(function (node) {
      node.draggable = true;
    });
  }

  document.addEventListener("dragstart", function (event) {
    var grip = event.target.closest && event.target.closest("[data-grip]");
    var node = event.target.closest && event.target.closest("[data-tree] .catalogui-node");
    dragged = grip ? grip.closest("tr") : node ? node.parentNode : null;
    if (dragged) {
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", "");
    }
  });

  document.addEventListener("dragend", function () {
    dragged = null;
    clearMarks();
  });

  // target returns where the dragged element would be dropped: an element, and before, after or inside.
  function target(event) {
    var row = event.target.closest && event.target.closest("[data-sortable] tbody tr");
    if (dragged && row && dragged.tagName === "TR" && row !== dragged) {
      return { element: row, where: below(event, row, 0.5) ? "after" : "before" };
    }
    var node = event.target.closest && event.target.closest("[data-tree] .catalogui-node");
    if (!dragged || !node || dragged.tagName !== "LI" || dragged.contains(node)) {
      return null;
    }
    var where = !below(event, node, 0.3) ? "before" : below(event, node, 0.7) ? "after" : "inside";
    return { element: node, where: where };
  }

  document.addEventListener("dragover", function (event) {
    var drop = target(event);
    clearMarks();
    if (!drop) {
      return;
    }
    event.preventDefault();
    if (drop.element.tagName === "TR") {
      drop.element.classList.add(drop.where === "after" ? "catalogui-under" : "catalogui-over");
    } else {
      drop.element.classList.add("catalogui-" + drop.where);
    }
  });

  document.addEventListener("drop", function (event) {
    var drop = target(event);
    if (!drop) {
      return;
    }
    event.preventDefault();
    clearMarks();
    if (dragged.tagName === "TR") {
      dropValue(dragged, drop);
    } else {
      dropCategory(dragged, drop);
    }
    dragged = null;
  });

  // A place counts from 1 in the list without the moved element.
  function dropValue(row, drop) {
    var from = Number(row.dataset.place);
    var place = Number(drop.element.dataset.place) + (drop.where === "after" ? 1 : 0);
    var form = row.querySelector(".catalogui-place");
    form.elements.place.value = from < place ? place - 1 : place;
    form.requestSubmit();
  }

  function dropCategory(item, drop) {
    var other = drop.element.parentNode;
    var form = document.getElementById("drop");
    if (drop.where === "inside") {
      form.elements.parent.value = other.dataset.id;
      form.elements.place.value = "";
    } else {
      var place = Number(other.dataset.place) + (drop.where === "after" ? 1 : 0);
      if (other.dataset.parent === item.dataset.parent && Number(item.dataset.place) < place) {
        place--;
      }
      form.elements.parent.value = other.dataset.parent;
      form.elements.place.value = place;
    }
    form.elements.version.value = item.dataset.version;
    form.action = "/categories/" + item.dataset.id + "/move";
    form.submit();
  }

  var steps = { ArrowUp: "up", ArrowDown: "down", ArrowRight: "in", ArrowLeft: "out" };

  document.addEventListener("keydown", function (event) {
    var node = event.target.closest && event.target.closest("[data-tree] .catalogui-node");
    var step = steps[event.key];
    if (!node || !step || !event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    event.preventDefault();
    var button = node.querySelector('button[value$=" ' + step + '"]');
    if (button && !button.disabled) {
      sessionStorage.setItem("catalogui-focus", node.parentNode.dataset.id);
      button.click();
    }
  });

  // After a move by keyboard the focus is on the same category again, so that the next key moves it on.
  function restoreFocus() {
    var id = sessionStorage.getItem("catalogui-focus");
    var item = id && document.querySelector('[data-tree] li[data-id="' + CSS.escape(id) + '"]');
    sessionStorage.removeItem("catalogui-focus");
    if (item) {
      item.querySelector(".catalogui-name").focus();
    }
  }

  document.addEventListener("htmx:afterSettle", function () {
    prepare();
    restoreFocus();
  });
  prepare();
  restoreFocus();
})();
