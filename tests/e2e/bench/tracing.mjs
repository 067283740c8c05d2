// What the page's main thread does: long tasks as the page is told of them, and what was in each by the browser's own trace.

/** A task that is longer keeps the page from answering for longer than is noticed. */
export const LONG_MS = 50;
/** Tasks that are shorter are not looked at. */
const SHORT_MS = 5;

/** Has the page collect its long tasks; for `addInitScript`. */
export const COLLECT_TASKS = () => {
  window.tasks_ms = [];
  new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => window.tasks_ms.push(duration)))
    .observe({ type: "longtask", buffered: true });
};

const CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "v8", "disabled-by-default-v8.gc"];

/** Kinds of work by the names of events; what has none is counted with what it is in. */
const KINDS = [
  [/^(FunctionCall|EvaluateScript|RunMicrotasks|FireAnimationFrame|TimerFire|EventDispatch|HandlePostMessage|FireIdleCallback|v8\.|V8\.(?!GC))/, "script"],
  [/GC/, "garbage"],
  [/^ParseHTML/, "parsing markup"],
  [/^(UpdateLayoutTree|RecalculateStyles)/, "style"],
  [/^Layout$/, "layout"],
  [/^(PrePaint|Paint|Layerize|Commit|UpdateLayer|IntersectionObserver)/, "paint"],
];

/**
 * Does `work` and returns `{ observed, tasks }`: the lengths of the long tasks of which the page was told, and what its tasks were by
 * the browser's trace, `[{ ms, cpu_ms, kinds: { script, style, … }, functions }]`, the longest first. `cpu_ms` is what the thread
 * itself ran: less than `ms` where the machine did something else meanwhile. `functions` has the time in and under each function,
 * with `profile` alone.
 */
export async function traced(browser, page, work, { profile = false } = {}) {
  await page.evaluate(() => { window.tasks_ms && (window.tasks_ms.length = 0); });
  const categories = profile ? [...CATEGORIES, "disabled-by-default-v8.cpu_profiler"] : CATEGORIES;
  await browser.startTracing(page, { categories });
  let trace;
  try {
    await work();
    // What is drawn of it, and the observer, come after.
    await page.waitForTimeout(300);
  } finally {
    trace = await browser.stopTracing();
  }
  const observed = await page.evaluate(() => window.tasks_ms ?? []);
  return { observed, tasks: longTasks(JSON.parse(trace.toString()).traceEvents) };
}

function longTasks(events) {
  const mains = new Set(events.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain").map(({ pid, tid }) => `${pid}/${tid}`));
  const byThread = new Map();
  for (const event of events) {
    const thread = `${event.pid}/${event.tid}`;
    if (event.ph !== "X" || !mains.has(thread)) continue;
    if (!byThread.has(thread)) byThread.set(thread, []);
    byThread.get(thread).push(event);
  }
  const samples = profileSamples(events);
  const tasks = [...byThread].flatMap(([thread, own]) => tasksOf(own, samples.get(thread) ?? []));
  return tasks.sort((a, b) => b.ms - a.ms);
}

function tasksOf(events, samples) {
  events.sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  const end = (event) => event.ts + event.dur;
  return events.filter(({ name, dur }) => name === "RunTask" && dur > SHORT_MS * 1_000).map((task) => {
    const kinds = {};
    const add = (kind, us) => kinds[kind] = (kinds[kind] ?? 0) + us / 1_000;
    // Each event's own time is its time without that of the events in it.
    const open = [{ event: task, kind: "other", inner: 0 }];
    const close = () => {
      const { event, kind, inner } = open.pop();
      add(kind, event.dur - inner);
      if (open.length > 0) open.at(-1).inner += event.dur;
    };
    for (const event of events) {
      if (event === task || event.ts < task.ts || end(event) > end(task)) continue;
      while (end(open.at(-1).event) <= event.ts) close();
      open.push({ event, kind: KINDS.find(([pattern]) => pattern.test(event.name))?.[1] ?? open.at(-1).kind, inner: 0 });
    }
    while (open.length > 0) close();
    return { ms: task.dur / 1_000, cpu_ms: (task.tdur ?? task.dur) / 1_000, kinds, functions: functionsOf(samples, task.ts, end(task)) };
  });
}

/** The samples of the profiler by thread: `[{ ts, us, stack }]`, a stack from the function that ran outwards. */
function profileSamples(events) {
  const profiles = new Map();
  for (const { name, id, pid, args, tid } of events) {
    if (name === "Profile") profiles.set(`${pid}/${id}`, { pid, tid, nodes: new Map(), ts: args.data.startTime, samples: [] });
    const profile = profiles.get(`${pid}/${id}`);
    if (name !== "ProfileChunk" || !profile) continue;
    const { cpuProfile = {}, timeDeltas = [] } = args.data;
    for (const node of cpuProfile.nodes ?? []) profile.nodes.set(node.id, node);
    (cpuProfile.samples ?? []).forEach((node, at) => {
      profile.ts += timeDeltas[at];
      profile.samples.push({ ts: profile.ts, us: timeDeltas[at], node });
    });
  }
  const byThread = new Map();
  for (const { pid, tid, nodes, samples } of profiles.values()) {
    const stack = (id) => {
      const names = [];
      for (let node = nodes.get(id); node; node = nodes.get(node.parent)) names.push(node.callFrame.functionName || "(anonymous)");
      return names;
    };
    const told = samples.map(({ ts, us, node }) => ({ ts, us, stack: stack(node) }));
    const thread = `${pid}/${tid}`;
    byThread.set(thread, [...(byThread.get(thread) ?? []), ...told]);
  }
  return byThread;
}

function functionsOf(samples, from, to) {
  const own = new Map();
  const all = new Map();
  const add = (map, name, us) => map.set(name, (map.get(name) ?? 0) + us / 1_000);
  for (const { ts, us, stack } of samples) {
    if (ts < from || ts > to) continue;
    add(own, stack[0], us);
    for (const name of new Set(stack)) add(all, name, us);
  }
  const most = (map, count) => [...map].sort(([, a], [, b]) => b - a).slice(0, count);
  return { own: most(own, 12), all: most(all, 60) };
}
