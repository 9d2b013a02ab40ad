// Filters of lists apply at once, without loading the page again. The keys j, k, x and ? are for lists.
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

  // Lists

  // Only the newest answer is shown.
  var asked = 0;

  // showList puts the list at an address in place of the one on the page. Focus, typed text, ticks of rows and open parts
  // stay. It resolves to false, and changes nothing, if the answer has no list.
  function showList(address) {
    var mine = ++asked;
    return fetch(address, { credentials: "same-origin", headers: { Accept: "text/html" } }).then(function (response) {
      return response.text().then(function (text) {
        var page = new DOMParser().parseFromString(text, "text/html");
        var list = page.getElementById("list");
        if (mine !== asked) {
          return true;
        }
        if (!list || response.redirected) {
          return false;
        }
        replaceList(document.importNode(list, true), page);
        return true;
      });
    });
  }

  function replaceList(list, page) {
    var old = document.getElementById("list");
    var focused = old.contains(document.activeElement) ? document.activeElement : null;
    keepState(old, list);
    var same = focused && again(focused, list);
    if (same && "value" in focused && same.type === focused.type && typing(focused)) {
      same.value = focused.value;
    }
    var caret = focused && focused.selectionStart;
    old.replaceWith(list);
    if (same) {
      same.focus({ preventScroll: true });
      if (typeof caret === "number" && same.setSelectionRange && /^(text|search)$/.test(same.type)) {
        same.setSelectionRange(caret, caret);
      }
    }
    document.title = page.title;
    replaceCounts(page);
    window.htmx.process(list);
    showTabs();
  }

  // again returns the element of a new list that is the same as one of the old list: by its id, or by its address.
  function again(element, list) {
    if (element.id) {
      return list.querySelector("#" + CSS.escape(element.id));
    }
    if (element.name === "id") {
      return list.querySelector('input[name="id"][value="' + CSS.escape(element.value) + '"]');
    }
    var href = element.getAttribute("href");
    return href && list.querySelector('a[href="' + CSS.escape(href) + '"]') ||
      element.matches(".sorts") && list.querySelectorAll("thead th")[element.closest("th").cellIndex].querySelector("a");
  }

  function keepState(old, list) {
    old.querySelectorAll("details[id]").forEach(function (details) {
      var same = list.querySelector("#" + CSS.escape(details.id));
      if (same) {
        same.open = details.open;
      }
    });
    old.querySelectorAll('input[name="id"]:checked').forEach(function (box) {
      var same = again(box, list);
      if (same) {
        same.checked = true;
      }
    });
  }

  // replaceCounts shows the counts of the navigation of another page.
  function replaceCounts(page) {
    document.querySelectorAll("nav li > a").forEach(function (link) {
      var same = page.querySelector('.side nav li > a[href="' + CSS.escape(link.getAttribute("href")) + '"]');
      if (same && link.closest(".side, .menu-body")) {
        link.replaceChildren.apply(link, Array.prototype.map.call(same.childNodes, function (node) {
          return document.importNode(node, true);
        }));
      }
    });
  }

  function typing(element) {
    return element.matches('textarea, [contenteditable], select, input:not([type="checkbox"], [type="radio"], [type="button"])');
  }

  function addressOf(form) {
    var fields = new URLSearchParams(new FormData(form));
    Array.from(fields.entries()).forEach(function (field) {
      if (field[1] === "") {
        fields.delete(field[0], "");
      }
    });
    var query = fields.toString();
    return form.getAttribute("action") + (query ? "?" + query : "");
  }

  var moved = false;
  function go(address) {
    showList(address).then(function (shown) {
      if (!shown) {
        window.location.assign(address);
        return;
      }
      moved = true;
      history.pushState(null, "", address);
    }, function () { window.location.assign(address); });
  }

  window.addEventListener("popstate", function () {
    if (moved) {
      window.location.reload();
    }
  });

  document.addEventListener("submit", function (event) {
    var form = event.target;
    if (form.matches("form[data-apply]") && form.closest("#list")) {
      event.preventDefault();
      go(addressOf(form));
    }
  });

  // A typed day changes with each digit of the year.
  document.addEventListener("change", function (event) {
    var form = event.target.form;
    if (!form || !form.matches("form[data-apply]")) {
      return;
    }
    if (event.target.type === "date" && event.target.value && event.target.value < "1900") {
      return;
    }
    // A click that ends the typing is meant for what it hits.
    setTimeout(function () {
      if (form.isConnected) {
        form.requestSubmit();
      }
    }, event.target.matches('input[type="search"], input[type="text"]') ? 250 : 0);
  });

  // Links that only sort or filter the list replace it, too.
  document.addEventListener("click", function (event) {
    var link = event.target.closest("#list a.sorts");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button) {
      return;
    }
    event.preventDefault();
    go(link.getAttribute("href"));
  });

  // A narrow screen shows the tab of the page, however far it is to the right.
  function showTabs() {
    document.querySelectorAll(".tabs [aria-current]").forEach(function (tab) {
      var bar = tab.closest(".tabs");
      bar.scrollLeft = tab.offsetLeft - bar.offsetLeft - (bar.clientWidth - tab.offsetWidth) / 2;
    });
  }
  showTabs();

  // Live: one tab holds the stream and tells the others. A tab refreshes its counts, and its list if nobody is at work in
  // it; otherwise it offers the new one.
  var minute = 60000;

  function quiet(list) {
    return !list.querySelector('input[name="id"]:checked, details[open] form :focus') &&
      !(list.contains(document.activeElement) && typing(document.activeElement)) &&
      !/[?&](before|after|page)=/.test(window.location.search);
  }

  function offer(list) {
    if (document.getElementById("list-news")) {
      return;
    }
    var news = document.createElement("p");
    news.id = "list-news";
    news.className = "alert";
    news.setAttribute("role", "status");
    news.textContent = script.news + " ";
    var button = document.createElement("button");
    button.type = "button";
    button.className = "btn";
    button.dataset.variant = "outline";
    button.dataset.size = "sm";
    button.textContent = script.show;
    button.addEventListener("click", function () {
      var url = new URL(window.location.href);
      ["before", "after", "page"].forEach(function (name) { url.searchParams.delete(name); });
      go(url.pathname + url.search);
    });
    news.append(button);
    list.prepend(news);
  }

  function showCounts() {
    fetch("/live/counts", { credentials: "same-origin", headers: { Accept: "application/json" } })
      .then(function (response) { return response.ok && !response.redirected ? response.json() : []; })
      .then(function (counts) {
        counts.forEach(function (count) {
          document.querySelectorAll('nav li > a[href="' + count.address + '"]').forEach(function (link) {
            link.querySelectorAll(".waiting, .sr-only").forEach(function (old) { old.remove(); });
            if (count.number) {
              var number = document.createElement("span");
              number.className = "waiting";
              number.setAttribute("aria-hidden", "true");
              number.textContent = count.number;
              var text = document.createElement("span");
              text.className = "sr-only";
              text.textContent = count.text;
              link.append(number, text);
            }
          });
        });
      }, function () {});
  }

  var missed = "";
  function changed(names) {
    if (document.hidden) {
      missed = missed + " " + names;
      return;
    }
    missed = "";
    var kinds = names.split(" ");
    if (kinds.indexOf("orders") >= 0 || kinds.indexOf("inquiries") >= 0) {
      showCounts();
    }
    var list = document.querySelector("#list[data-kind]");
    if (!list || kinds.indexOf(list.dataset.kind) < 0) {
      return;
    }
    if (quiet(list)) {
      showList(window.location.pathname + window.location.search).catch(function () {});
    } else {
      offer(list);
    }
  }

  document.addEventListener("visibilitychange", function () {
    if (!document.hidden && missed) {
      changed(missed.trim());
    }
  });

  function listen() {
    var others = window.BroadcastChannel ? new BroadcastChannel("vitrine-live") : null;
    if (others) {
      others.onmessage = function (event) { changed(event.data); };
    }
    // hold reads the stream until it is refused: by a server that has enough streams, or after the session. Then it asks
    // for the counts now and then, and tries again.
    function hold() {
      return new Promise(function (release) {
        var source = new EventSource("/live");
        source.onopen = function () { document.documentElement.dataset.live = ""; };
        source.onmessage = function (event) {
          changed(event.data);
          if (others) {
            others.postMessage(event.data);
          }
        };
        source.onerror = function () {
          if (source.readyState === EventSource.CLOSED) {
            setTimeout(function () {
              changed("orders inquiries runs deliveries");
              release();
            }, minute);
          }
        };
        window.addEventListener("pagehide", function () { source.close(); });
      });
    }
    function again() {
      (navigator.locks ? navigator.locks.request("vitrine-live", hold) : hold()).then(again, function () {});
    }
    again();
  }
  window.addEventListener("pageshow", function (event) {
    if (event.persisted) {
      window.location.reload(); // the stream of the page is closed
    }
  });
  if (window.EventSource && document.querySelector("header.top")) {
    listen();
  }

  // Keys. The link of a row gets the focus, so that Enter opens it and a screen reader reads it.
  document.addEventListener("keydown", function (event) {
    var target = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented ||
        typing(target) || document.querySelector("dialog[open]")) {
      return;
    }
    if (event.key === "?") {
      var help = document.getElementById("keys-help");
      if (help) {
        event.preventDefault();
        help.showModal();
      }
      return;
    }
    if (event.key === "j" || event.key === "k") {
      moveRow(event.key === "j" ? 1 : -1, event);
    } else if (event.key === "x") {
      var row = target.closest("tr[data-opens]");
      var box = row && row.querySelector('input[type="checkbox"]');
      if (box && !box.disabled) {
        event.preventDefault();
        box.checked = !box.checked;
        box.dispatchEvent(new Event("change", { bubbles: true }));
      }
    } else if (event.key === "Enter" && target.matches('tr[data-opens] input[type="checkbox"]')) {
      event.preventDefault(); // it would submit the form of the ticks
      rowLink(target.closest("tr")).click();
    }
  });

  function rowLink(row) {
    return row.querySelector("th a, td a") || row.querySelector("a");
  }

  function moveRow(step, event) {
    var rows = Array.prototype.slice.call(document.querySelectorAll("main tr[data-opens]"));
    if (!rows.length) {
      return;
    }
    event.preventDefault();
    var at = rows.indexOf(event.target.closest("tr[data-opens]"));
    if (at < 0) {
      at = step > 0 ? -1 : rows.length;
    }
    var row = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
    rowLink(row).focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  }

  // A click on a row of a list opens it, unless it was meant for something in the row, or for its text.
  document.addEventListener("click", function (event) {
    var row = event.target.closest("tr[data-opens]");
    if (!row || event.target.closest("a, button, input, label, .order-tick, .productui-tick") || String(window.getSelection())) {
      return;
    }
    var link = rowLink(row);
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
