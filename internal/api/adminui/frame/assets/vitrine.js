// Copy buttons: each copies the field beside it and is hidden unless the clipboard is available. Elements that refresh
// themselves (data-live) keep their content when a response is an error, and try again. The key / focuses the search, Ctrl+K opens the
// palette, which finds pages and settings, too.
// Tables of charts are drawn with uPlot, which is loaded by the first page that has one.
(function () {
  "use strict";
  var script = document.currentScript.dataset;

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
        button.textContent = script.copied;
      },
      function () {
        button.textContent = script.press;
      }
    );
  });

  document.addEventListener("focusin", function (event) {
    if (event.target.matches("textarea[data-select]")) {
      event.target.select();
    }
  });

  document.addEventListener("keydown", function (event) {
    var find = document.getElementById("find");
    var typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "/" && find && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      find.focus();
      find.select();
    }
    if (event.code === "KeyK" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
      openPalette(event);
    }
    var form = event.target.closest("form.find");
    if (form) {
      moveAmongHits(event, form);
    }
    if (event.key === "Escape") {
      document.querySelectorAll(".menu[open], .switcher[open]").forEach(function (details) {
        details.open = false;
        details.querySelector("summary").focus();
      });
    }
  });

  // The arrow keys move through the hits of a search. Enter opens the first hit, or the one with the focus.
  function moveAmongHits(event, form) {
    var input = form.querySelector("input");
    var found = form.querySelector(".found");
    var hits = Array.prototype.filter.call(form.querySelectorAll(".recent a, .found a"), function (link) {
      return !link.closest("[hidden]");
    });
    var at = hits.indexOf(event.target);
    if (event.key === "ArrowDown" && hits.length) {
      event.preventDefault();
      hits[Math.min(at + 1, hits.length - 1)].focus();
    } else if (event.key === "ArrowUp" && at >= 0) {
      event.preventDefault();
      (hits[at - 1] || input).focus();
    } else if (event.key === "Enter" && event.target === input && form.closest("dialog")) {
      var results = found.querySelector(".results");
      if (input.value.trim() && results && results.dataset.q === input.value.trim() && hits.length) {
        event.preventDefault(); // or else the server decides, as without scripts
        hits[0].click();
      }
    } else if (event.key === "Escape" && form.closest("dialog")) {
      event.preventDefault(); // Chromium only empties a field of a search
      form.closest("dialog").close();
    } else if (event.key === "Escape") {
      found.textContent = "";
      input.focus();
    }
  }

  document.addEventListener("click", function (event) {
    var found = document.getElementById("found");
    if (found && !found.parentNode.contains(event.target)) {
      found.textContent = "";
    }
    document.querySelectorAll(".menu[open], .switcher[open]").forEach(function (details) {
      if (!details.contains(event.target)) {
        details.open = false;
      }
    });
    if (event.target.matches("dialog.palette")) {
      event.target.close(); // a click beside it
    }
  });

  // The palette shows what this person opened last in this browser: the titles and paths of things, in localStorage,
  // until somebody signs out or in.
  var recentKey = "vitrine-recent";
  var maxRecent = 8;

  function readRecent() {
    var palette = document.getElementById("palette");
    try {
      var stored = JSON.parse(localStorage.getItem(recentKey));
      if (palette && stored && stored.who === palette.dataset.who && Array.isArray(stored.things)) {
        return stored.things;
      }
    } catch (_) {
      // Storage is off, or has something else: then nothing is recent.
    }
    return [];
  }

  function noteRecent() {
    var palette = document.getElementById("palette");
    var heading = document.querySelector("main h1");
    try {
      if (!palette) {
        localStorage.removeItem(recentKey);
        return;
      }
      if (!/^\/[a-z-]+\/[0-9a-f]{8}-[0-9a-f-]{27}$/.test(location.pathname) || !heading) {
        return;
      }
      var things = readRecent().filter(function (thing) { return thing.path !== location.pathname; });
      if (!document.querySelector("main > .narrow .status")) { // a page of an error, such as of a deleted thing
        things.unshift({ path: location.pathname, title: heading.textContent.trim().slice(0, 80) });
      }
      localStorage.setItem(recentKey,
        JSON.stringify({ who: palette.dataset.who, things: things.slice(0, maxRecent) }));
    } catch (_) {
      // Without storage nothing is remembered.
    }
  }

  function openPalette(event) {
    var palette = document.getElementById("palette");
    if (!palette || !palette.showModal) {
      return;
    }
    event.preventDefault();
    if (palette.open) {
      palette.close();
      return;
    }

    var other = document.getElementById("found");
    other.textContent = "";
    var input = document.getElementById("palette-find");
    input.value = "";
    showRecent();
    palette.showModal();
    input.focus();
    htmx.trigger(input, "palette"); // an empty search finds all pages
  }

  function showRecent() {
    var box = document.getElementById("palette-recent");
    var list = box.querySelector("ul");
    list.textContent = "";
    readRecent().forEach(function (thing) {
      if (thing.path === location.pathname) {
        return;
      }
      var link = document.createElement("a");
      link.href = new URL(thing.path, location.origin).pathname;
      link.textContent = thing.title;
      list.appendChild(document.createElement("li")).appendChild(link);
    });
    box.hidden = !list.children.length;
  }

  document.addEventListener("input", function (event) {
    if (event.target.id === "palette-find") {
      var box = document.getElementById("palette-recent");
      box.hidden = event.target.value.trim() !== "" || !box.querySelector("a");
    }
  });
  document.addEventListener("submit", function (event) {
    if (event.target.getAttribute("action") === "/logout") {
      try {
        localStorage.removeItem(recentKey);
      } catch (_) {
        // Nothing was stored.
      }
    }
  });
  noteRecent();

  // Bulk changes: tick all rows of the page. Ticking all that match makes the ticks of rows irrelevant.
  document.addEventListener("change", function (event) {
    var box = event.target;
    if (!box.matches("[data-check-all], [data-check-matching]")) {
      return;
    }
    box.form.querySelectorAll('input[name="id"]').forEach(function (row) {
      row.checked = box.checked;
      row.disabled = box.hasAttribute("data-check-matching") && box.checked;
    });
  });

  // A click on a row of a list opens it, unless it was meant for something in the row, or for its text.
  document.addEventListener("click", function (event) {
    var row = event.target.closest("tr[data-opens]");
    if (!row || event.target.closest("a, button, input, label, .order-tick") || String(window.getSelection())) {
      return;
    }
    var link = row.querySelector("a");
    if (event.ctrlKey || event.metaKey) {
      window.open(link.href, "_blank", "noopener");
    } else {
      link.click();
    }
  });

  // Charts

  function color(name) {
    var probe = document.createElement("span");
    probe.style.color = "var(--" + name + ")";
    document.body.appendChild(probe);
    var value = getComputedStyle(probe).color;
    probe.remove();
    return value;
  }

  function seriesColor(heading, index) {
    var named = { good: "good", bad: "destructive", warn: "warn" }[heading.dataset.color];
    return color(named || ["primary", "good", "warn", "destructive", "muted-foreground"][index % 5]);
  }

  function draw(figure) {
    var plot = figure.querySelector(".plot");
    // The legend of a chart that was drawn before is a table, too.
    var table = figure.querySelector("details table");
    var headings = Array.prototype.slice.call(table.querySelectorAll("thead th")).slice(1);
    var rows = Array.prototype.slice.call(table.querySelectorAll("tbody tr"));
    if (!rows.length || !plot.clientWidth) {
      return;
    }
    var labels = rows.map(function (row) { return row.querySelector("th").textContent; });
    var columns = headings.map(function (_, i) {
      return rows.map(function (row) { return Number(row.querySelectorAll("td")[i].dataset.value); });
    });
    var texts = headings.map(function (_, i) {
      return rows.map(function (row) { return row.querySelectorAll("td")[i].textContent; });
    });
    var kind = figure.dataset.chart;
    var drawn = columns;
    if (kind === "stacked") {
      // The last series is drawn first, on top of the sum of those before it.
      drawn = columns.map(function (column, i) {
        return column.map(function (value, row) {
          for (var below = 0; below < i; below++) { value += columns[below][row]; }
          return value;
        });
      }).reverse();
    }
    var order = headings.map(function (_, i) { return kind === "stacked" ? headings.length - 1 - i : i; });
    var bars = kind === "lines" ? null : window.uPlot.paths.bars({ size: [0.7, 48] });
    var series = order.map(function (index) {
      var stroke = seriesColor(headings[index], index);
      var s = { label: headings[index].textContent, stroke: stroke, width: kind === "lines" ? 2 : 0, points: { show: false } };
      if (bars) {
        s.paths = bars;
        s.fill = stroke;
      }
      s.value = function (_, __, ___, row) { return row === null || row === undefined ? "" : texts[index][row]; };
      return s;
    });
    // There is no line of the grid at half an order.
    var whole = columns.every(function (column) { return column.every(Number.isInteger); });
    var steps = [];
    for (var power = 1; power < 1e12; power *= 10) {
      steps.push(power, 2 * power, 5 * power);
    }
    var axis = { stroke: color("muted-foreground"), grid: { stroke: color("border"), width: 1 }, ticks: { show: false }, font: "12px sans-serif" };
    plot.textContent = "";
    new window.uPlot({
      width: plot.clientWidth,
      height: 220,
      cursor: { y: false, drag: { x: false, y: false } },
      scales: { x: { time: false, range: [-0.6, labels.length - 0.4] }, y: { range: function (_, low, high) { return [Math.min(0, low), high > 0 ? high * 1.05 : 1]; } } },
      axes: [
        Object.assign({}, axis, {
          grid: { show: false },
          incrs: [1, 2, 5, 7, 10, 14, 20, 30, 50, 100],
          values: function (_, splits) { return splits.map(function (at) { return labels[at] === undefined ? "" : labels[at]; }); },
          space: 80
        }),
        Object.assign({}, axis, {
          size: 64,
          incrs: whole ? steps : undefined,
          values: function (_, splits) { return splits.map(function (value) { return value.toLocaleString(document.documentElement.lang); }); }
        })
      ],
      series: [{ label: table.querySelector("thead th").textContent, value: function (_, at) { return labels[at] === undefined ? "" : labels[at]; } }].concat(series)
    }, [labels.map(function (_, i) { return i; })].concat(drawn), plot);
  }

  var loading = false;
  function showCharts(root) {
    var figures = root.querySelectorAll("figure[data-chart]");
    if (!figures.length) {
      return;
    }
    if (window.uPlot) {
      figures.forEach(draw);
      return;
    }
    if (loading) {
      return;
    }
    loading = true;
    var style = document.createElement("link");
    style.rel = "stylesheet";
    style.href = script.chartStyle;
    document.head.appendChild(style);
    var library = document.createElement("script");
    library.src = script.chartScript;
    library.onload = function () { showCharts(document); };
    document.head.appendChild(library);
  }

  var resized;
  window.addEventListener("resize", function () {
    clearTimeout(resized);
    resized = setTimeout(function () { showCharts(document); }, 200);
  });

  document.addEventListener("htmx:beforeSwap", function (event) {
    if (event.detail.xhr.status >= 400 && event.detail.target.hasAttribute("data-live")) {
      event.detail.shouldSwap = false;
    }
  });

  document.addEventListener("htmx:load", function (event) {
    showCopyButtons(event.detail.elt.parentNode || document);
    showCharts(event.detail.elt.parentNode || document);
  });
  showCopyButtons(document);
  showCharts(document);
})();
