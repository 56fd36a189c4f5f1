// The scrubber of a graph's page: the tree live, or at any moment. What there is to choose from comes from the GraphQL API; the tree at
// a moment is the page itself at that moment.

const TIMELINE = `query Timeline($id: ID!) {
  graph(id: $id) { timeline(buckets: 500) { to eventCount lastEventId } }
}`;
const BEFORE = `query Before($id: ID!, $event: ID!) {
  graph(id: $id, asOf: {event: $event}) { events(first: 2, order: DESC) { nodes { id } } }
}`;
const HERE = `query Here($id: ID!, $event: ID!) { graph(id: $id) { event(id: $event) { created } } }`;
const AFTER = `query After($id: ID!, $from: Timestamp!) {
  graph(id: $id) { events(first: 200, order: ASC, filter: {created: {gte: $from}}) { nodes { id } } }
}`;
const LIVE_EVERY = 3000;

const graph = document.querySelector("#graph");
const scrubber = document.querySelector("#scrubber");
const range = scrubber.querySelector("input");
const told = scrubber.querySelector("output");
const id = graph.dataset.graph;

let spans = [];
let moment = new URLSearchParams(location.search).get("as_of");
let asking = null;

async function ask(query, variables) {
  const answer = await fetch("/graphql", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify({ query, variables: { id, ...variables } }),
  });
  const body = await answer.json();
  if (body.errors) throw new Error(body.errors[0].message);
  return body.data.graph;
}

function address(asOf) {
  return location.pathname + (asOf ? `?as_of=${encodeURIComponent(asOf)}` : "");
}

async function show(asOf) {
  asking?.abort();
  const mine = (asking = new AbortController());
  moment = asOf;
  const answer = await fetch(address(asOf), { headers: { Accept: "text/html" }, signal: mine.signal });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const found = page.querySelector("#graph");
  if (mine !== asking) return;
  if (found === null) {
    tell(page.querySelector(".problem")?.textContent ?? "This page is not there any more.");
    return;
  }
  if (found.innerHTML !== graph.innerHTML) graph.innerHTML = found.innerHTML;
  graph.dataset.event = found.dataset.event;
  history.replaceState(null, "", address(asOf));
  place();
}

function tell(text) {
  told.textContent = text;
}

function place() {
  const at = spans.findIndex((span) => span.lastEventId === moment);
  if (moment === null) range.value = spans.length;
  else if (at >= 0 && spans[range.value - 1]?.lastEventId !== moment) range.value = at + 1;
  tell(moment === null ? "live" : "as of a past event");
}

async function load() {
  spans = (await ask(TIMELINE)).timeline.filter((span) => span.eventCount);
  range.max = spans.length;
  scrubber.hidden = spans.length === 0;
  place();
}

async function step(by) {
  const event = graph.dataset.event;
  if (!event) return;
  if (by < 0) {
    const nodes = (await ask(BEFORE, { event })).events.nodes;
    if (nodes.length > 1) await show(nodes[1].id);
    return;
  }
  const from = (await ask(HERE, { event })).event.created;
  const nodes = (await ask(AFTER, { from })).events.nodes;
  const at = nodes.findIndex((each) => each.id === event);
  if (at < 0) throw new Error("So many events are of this very moment that the next is not found here.");
  await show(at + 1 < nodes.length ? nodes[at + 1].id : null);
}

function quietly(work) {
  work.catch((error) => {
    if (error.name !== "AbortError") tell(error.message);
  });
}

range.addEventListener("input", () => {
  const at = Number(range.value);
  quietly(show(at >= spans.length ? null : spans[Math.max(at, 1) - 1].lastEventId));
});
scrubber.querySelector("[data-step='-1']").addEventListener("click", () => quietly(step(-1)));
scrubber.querySelector("[data-step='1']").addEventListener("click", () => quietly(step(1)));
scrubber.querySelector("[data-live]").addEventListener("click", () => quietly(load().then(() => show(null))));
setInterval(() => {
  if (moment === null && !document.hidden) quietly(show(null));
}, LIVE_EVERY);
quietly(load());
