// The sheet of products: only the rows in view are drawn, so that thousands of them take no longer than a few. Cells are
// edited, copied and pasted like in a spreadsheet; every change can be taken back until it is saved. The form then posts
// the changed cells. Without this script, the form has the fields of the first rows.
(function () {
  "use strict";

  var grid = document.getElementById("sheet");
  if (!grid) {
    return;
  }
  var form = document.getElementById("sheet-form");
  var data = JSON.parse(document.getElementById("sheet-data").textContent);
  var columns = data.columns;
  var rows = data.rows;
  var height = 32;

  // texts are the present texts, cell by cell. steps are the changes that can be taken back, redone those that were.
  // refused are the cells whose texts the server has refused, by row and column.
  var texts = rows.map(function (row) { return row.w.slice(); });
  var refused = new Map();
  (data.refused || []).forEach(function (one) {
    texts[one.r][one.c] = one.t;
    if (one.m) {
      refused.set(one.r + "-" + one.c, one);
    }
  });
  var steps = [];
  var redone = [];
  var changed = 0;
  var wrong = 0;
  var at = { row: 0, column: 0 }; // the active cell
  var end = { row: 0, column: 0 }; // the other corner of what is marked
  var editor = null;

  // name returns the name of the field of a cell, or "" if it cannot be edited.
  function name(r, c) {
    var row = rows[r];
    if (c === 0) {
      return row.f ? row.p + ".0." + columns[0].member : "";
    }
    return columns[c].member && row.v ? row.p + "." + row.v + "." + columns[c].member : "";
  }

  function editable(r, c) { return name(r, c) !== ""; }

  function refusal(r, c) {
    var one = refused.get(r + "-" + c);
    return one && one.t === texts[r][c] ? one : null;
  }

  function isWrong(r, c) {
    var text = texts[r][c];
    if (refusal(r, c)) {
      return true;
    }
    return columns[c].number && text !== rows[r].w[c] && text !== "" && !/^[\d\s\u00a0\u202f]*\d([.,]\d+)?$/.test(text);
  }

  function message(r, c) {
    var one = refusal(r, c);
    return one ? one.m : grid.dataset.wrong;
  }

  // Drawing.
  var head = document.createElement("div");
  head.className = "productui-sheet-head";
  head.setAttribute("role", "row");
  columns.forEach(function (column) {
    var title = document.createElement("span");
    title.setAttribute("role", "columnheader");
    title.textContent = column.title;
    title.title = column.title;
    head.append(title);
  });
  var body = document.createElement("div");
  body.className = "productui-sheet-body";
  body.style.height = rows.length * height + "px";
  var note = document.createElement("p");
  note.className = "productui-sheet-note wrong";
  note.setAttribute("role", "status");
  var widths = columns.map(function (column, c) {
    return c === 0 ? "minmax(16rem, 3fr)" : column.number ? "minmax(6rem, 1fr)" : "minmax(8rem, 1.5fr)";
  }).join(" ");
  grid.style.setProperty("--sheet-columns", widths);
  var least = columns.reduce(function (sum, column, c) { return sum + (c === 0 ? 16 : column.number ? 6 : 8); }, 0);
  head.style.minWidth = body.style.minWidth = least + "rem";
  grid.append(head, body);
  grid.after(note);
  grid.setAttribute("aria-rowcount", rows.length + 1);
  grid.setAttribute("aria-colcount", columns.length);
  grid.setAttribute("aria-multiselectable", "true");
  grid.hidden = false;
  document.getElementById("sheet-plain").remove();
  document.querySelector("[data-sheet-hint]").hidden = false;
  var drawn = new Map();

  function marked(r, c) {
    return r >= Math.min(at.row, end.row) && r <= Math.max(at.row, end.row) &&
      c >= Math.min(at.column, end.column) && c <= Math.max(at.column, end.column);
  }

  function drawRow(r) {
    var line = document.createElement("div");
    line.setAttribute("role", "row");
    line.setAttribute("aria-rowindex", r + 2);
    line.style.top = r * height + "px";
    columns.forEach(function (column, c) {
      var cell = document.createElement("span");
      cell.setAttribute("role", "gridcell");
      cell.setAttribute("aria-colindex", c + 1);
      cell.id = "cell-" + r + "-" + c;
      cell.dataset.row = r;
      cell.dataset.column = c;
      if (column.number) {
        cell.dataset.number = "";
      }
      if (!editable(r, c)) {
        cell.setAttribute("aria-readonly", "true");
      }
      line.append(cell);
    });
    body.append(line);
    drawn.set(r, line);
    fillRow(r);
  }

  function toggle(element, name, value) {
    if (value === null) {
      element.removeAttribute(name);
    } else if (element.getAttribute(name) !== value) {
      element.setAttribute(name, value);
    }
  }

  function fillRow(r) {
    var line = drawn.get(r);
    columns.forEach(function (column, c) {
      var cell = line.children[c];
      var text = texts[r][c];
      if (cell.textContent !== text) {
        cell.textContent = text;
      }
      toggle(cell, "data-edited", editable(r, c) && texts[r][c] !== rows[r].w[c] ? "" : null);
      toggle(cell, "aria-invalid", isWrong(r, c) ? "true" : null);
      toggle(cell, "aria-selected", marked(r, c) ? "true" : null);
      toggle(cell, "data-active", r === at.row && c === at.column ? "" : null);
    });
  }

  function draw() {
    var first = Math.max(0, Math.floor(grid.scrollTop / height) - 10);
    var last = Math.min(rows.length - 1, Math.ceil((grid.scrollTop + grid.clientHeight) / height) + 10);
    drawn.forEach(function (line, r) {
      if (r < first || r > last) {
        line.remove();
        drawn.delete(r);
      }
    });
    for (var r = first; r <= last; r++) {
      if (drawn.has(r)) {
        fillRow(r);
      } else {
        drawRow(r);
      }
    }
    toggle(grid, "aria-activedescendant", drawn.has(at.row) ? "cell-" + at.row + "-" + at.column : null);
    note.textContent = isWrong(at.row, at.column) ? message(at.row, at.column) : "";
  }

  var scheduled = false;
  function redraw() {
    if (!scheduled) {
      scheduled = true;
      requestAnimationFrame(function () {
        scheduled = false;
        draw();
      });
    }
  }
  grid.addEventListener("scroll", redraw);
  window.addEventListener("resize", redraw);

  // Moving.
  function clamp(n, most) { return Math.max(0, Math.min(n, most)); }

  function go(row, column, mark) {
    var to = { row: clamp(row, rows.length - 1), column: clamp(column, columns.length - 1) };
    end = to;
    if (!mark) {
      at = to;
    }
    var top = to.row * height;
    var seen = grid.clientHeight - head.offsetHeight;
    if (top < grid.scrollTop) {
      grid.scrollTop = top;
    } else if (top + height > grid.scrollTop + seen) {
      grid.scrollTop = top + height - seen;
    }
    var title = head.children[to.column];
    if (title.offsetLeft < grid.scrollLeft) {
      grid.scrollLeft = title.offsetLeft;
    } else if (title.offsetLeft + title.offsetWidth > grid.scrollLeft + grid.clientWidth) {
      grid.scrollLeft = title.offsetLeft + title.offsetWidth - grid.clientWidth;
    }
    redraw();
  }

  // Changing. A step is a list of cells with their texts before and after.
  function count(r, c, by) {
    if (texts[r][c] !== rows[r].w[c]) {
      changed += by;
    }
    if (isWrong(r, c)) {
      wrong += by;
    }
  }

  function put(step, which) {
    step.forEach(function (one) {
      count(one.row, one.column, -1);
      texts[one.row][one.column] = one[which];
      count(one.row, one.column, 1);
    });
    showCount();
    redraw();
  }

  function change(step) {
    step = step.filter(function (one) {
      return one.row < rows.length && one.column < columns.length && editable(one.row, one.column) &&
        texts[one.row][one.column] !== one.to;
    });
    step.forEach(function (one) { one.from = texts[one.row][one.column]; });
    if (step.length > 0) {
      steps.push(step);
      redone = [];
      put(step, "to");
    }
  }

  function showCount() {
    var label = form.querySelector("[data-sheet-count]");
    label.textContent = changed === 0 ? "" :
      grid.dataset.changed + changed + (wrong > 0 ? ". " + grid.dataset.errors + wrong : "");
    if (changed > 0) {
      form.querySelector("input[name=selection]").dispatchEvent(new Event("input", { bubbles: true }));
    } else {
      form.removeAttribute("data-changed");
    }
  }

  function takeBack(from, to, which) {
    var step = from.pop();
    if (step) {
      to.push(step);
      put(step, which);
      go(step[0].row, step[0].column);
    }
  }

  function area() {
    return { top: Math.min(at.row, end.row), bottom: Math.max(at.row, end.row),
      left: Math.min(at.column, end.column), right: Math.max(at.column, end.column) };
  }

  function eachMarked(to) {
    var a = area();
    var step = [];
    for (var r = a.top; r <= a.bottom; r++) {
      for (var c = a.left; c <= a.right; c++) {
        step.push({ row: r, column: c, to: to(r, c) });
      }
    }
    change(step);
  }

  // Copying and pasting, as spreadsheets do: lines, with tabs between the cells.
  function copied() {
    var a = area();
    var lines = [];
    for (var r = a.top; r <= a.bottom; r++) {
      lines.push(texts[r].slice(a.left, a.right + 1).join("\t"));
    }
    return lines.join("\n");
  }

  function paste(text) {
    var a = area();
    var lines = text.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n").map(function (line) {
      return line.split("\t");
    });
    if (lines.length === 1 && lines[0].length === 1) {
      eachMarked(function () { return lines[0][0].trim(); });
      return;
    }
    var step = [];
    lines.forEach(function (line, i) {
      line.forEach(function (value, k) {
        step.push({ row: a.top + i, column: a.left + k, to: value.trim() });
      });
    });
    change(step);
    at = { row: a.top, column: a.left };
    end = { row: clamp(a.top + lines.length - 1, rows.length - 1),
      column: clamp(a.left + lines[0].length - 1, columns.length - 1) };
    redraw();
  }

  function inGrid() { return !editor && document.activeElement === grid; }

  document.addEventListener("copy", function (event) {
    if (inGrid()) {
      event.clipboardData.setData("text/plain", copied());
      event.preventDefault();
    }
  });
  document.addEventListener("cut", function (event) {
    if (inGrid()) {
      event.clipboardData.setData("text/plain", copied());
      event.preventDefault();
      eachMarked(function () { return ""; });
    }
  });
  document.addEventListener("paste", function (event) {
    if (inGrid()) {
      paste(event.clipboardData.getData("text/plain"));
      event.preventDefault();
    }
  });

  // Editing one cell.
  function edit(text) {
    if (!editable(at.row, at.column)) {
      return;
    }
    var cell = document.getElementById("cell-" + at.row + "-" + at.column);
    if (!cell) {
      return;
    }
    editor = document.createElement("input");
    editor.type = "text";
    editor.value = text === undefined ? texts[at.row][at.column] : text;
    editor.setAttribute("aria-label", columns[at.column].title + ": " + rows[at.row].w.slice(0, 2).join(" "));
    if (columns[at.column].number) {
      editor.inputMode = "decimal";
    }
    editor.style.top = at.row * height + "px";
    editor.style.left = cell.offsetLeft + "px";
    editor.style.width = cell.offsetWidth + "px";
    editor.addEventListener("blur", function () { finish(true); });
    editor.addEventListener("keydown", function (event) {
      event.stopPropagation();
      if (event.key === "Enter" || event.key === "Tab") {
        event.preventDefault();
        finish(true);
        if (event.key === "Enter") {
          go(at.row + (event.shiftKey ? -1 : 1), at.column);
        } else {
          go(at.row, at.column + (event.shiftKey ? -1 : 1));
        }
      } else if (event.key === "Escape") {
        finish(false);
      }
    });
    body.append(editor);
    editor.focus();
  }

  function finish(keep) {
    var field = editor;
    if (!field) {
      return;
    }
    editor = null;
    var text = field.value.trim();
    field.remove();
    grid.focus();
    if (keep) {
      change([{ row: at.row, column: at.column, to: text }]);
    }
    redraw();
  }

  grid.addEventListener("keydown", function (event) {
    var page = Math.max(1, Math.floor(grid.clientHeight / height) - 2);
    var command = event.ctrlKey || event.metaKey;
    var mark = event.shiftKey;
    var from = mark ? end : at;
    switch (command ? "ctrl-" + event.code : event.key) {
    case "ArrowUp": go(from.row - 1, from.column, mark); break;
    case "ArrowDown": go(from.row + 1, from.column, mark); break;
    case "ArrowLeft": go(from.row, from.column - 1, mark); break;
    case "ArrowRight": go(from.row, from.column + 1, mark); break;
    case "PageUp": go(from.row - page, from.column, mark); break;
    case "PageDown": go(from.row + page, from.column, mark); break;
    case "Home": go(from.row, 0, mark); break;
    case "End": go(from.row, columns.length - 1, mark); break;
    case "ctrl-Home": go(0, 0, mark); break;
    case "ctrl-End": go(rows.length - 1, columns.length - 1, mark); break;
    case "ctrl-ArrowUp": go(0, from.column, mark); break;
    case "ctrl-ArrowDown": go(rows.length - 1, from.column, mark); break;
    case "Enter": case "F2": edit(); break;
    case "Delete": case "Backspace": eachMarked(function () { return ""; }); break;
    case "ctrl-KeyA":
      at = { row: 0, column: at.column };
      go(rows.length - 1, at.column, true);
      break;
    case "ctrl-KeyD":
      var top = area().top;
      eachMarked(function (r, c) { return texts[top][c]; });
      break;
    case "ctrl-KeyZ":
      if (mark) {
        takeBack(redone, steps, "to");
      } else {
        takeBack(steps, redone, "from");
      }
      break;
    case "ctrl-KeyY": takeBack(redone, steps, "to"); break;
    case "ctrl-KeyS": form.requestSubmit(); break;
    default:
      if (command || event.altKey || event.key.length !== 1) {
        return; // Tab leaves the sheet; the browser has its own keys
      }
      edit("");
      return; // the browser types the letter into the field
    }
    event.preventDefault();
  });

  function cellAt(event) {
    var cell = event.target.closest("[role=gridcell]");
    return cell && { row: Number(cell.dataset.row), column: Number(cell.dataset.column) };
  }
  var dragging = false;
  body.addEventListener("mousedown", function (event) {
    var to = cellAt(event);
    if (to) {
      event.preventDefault();
      finish(true);
      grid.focus({ preventScroll: true });
      dragging = true;
      go(to.row, to.column, event.shiftKey);
    }
  });
  body.addEventListener("mouseover", function (event) {
    var to = dragging && cellAt(event);
    if (to) {
      go(to.row, to.column, true);
    }
  });
  document.addEventListener("mouseup", function () { dragging = false; });
  body.addEventListener("dblclick", function (event) {
    if (cellAt(event)) {
      edit();
    }
  });
  // On touch screens a second tap edits.
  body.addEventListener("click", function (event) {
    var to = cellAt(event);
    if (to && window.matchMedia("(pointer: coarse)").matches) {
      if (body.dataset.tapped === to.row + "-" + to.column) {
        edit();
      }
      body.dataset.tapped = to.row + "-" + to.column;
    }
  });

  // Saving posts the changed cells, each as three fields.
  form.addEventListener("submit", function () {
    finish(true);
    var fields = document.createDocumentFragment();
    function add(name, value) {
      var field = document.createElement("input");
      field.type = "hidden";
      field.name = name;
      field.value = value;
      field.dataset.posted = "";
      fields.append(field);
    }
    form.querySelectorAll("[data-posted]").forEach(function (field) { field.remove(); });
    rows.forEach(function (row, r) {
      row.w.forEach(function (was, c) {
        if (texts[r][c] !== was && editable(r, c)) {
          add("cell", name(r, c));
          add("was", was);
          add("text", texts[r][c]);
        }
      });
    });
    form.append(fields);
  });

  rows.forEach(function (row, r) {
    columns.forEach(function (_, c) { count(r, c, 1); });
  });
  showCount();
  draw();
  var first = refused.values().next().value;
  if (first) {
    go(first.r, first.c);
  }
})();
