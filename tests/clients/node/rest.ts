// openapi-fetch with the types that openapi-typescript made of openapi.json: compiled under `strict`, then run.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Node = components["schemas"]["Node"];

const facts = JSON.parse(readFileSync(0, "utf8"));
const { late, followed, trimmed } = facts;
const client = (url: string, key: string) =>
  createClient<paths>({ baseUrl: `${url}/api/v1`, headers: { Authorization: `Bearer ${key}` } });
const { GET } = client(facts.url, facts.key);
const path = { graph_id: facts.graph as string };
const at = { as_of: late.event as string, order: "tree" } as const;

/** What there is, or a complaint. */
const got = <T>({ data, error }: { data?: T; error?: unknown }): T => {
  assert.equal(error, undefined);
  assert.ok(data !== undefined);
  return data;
};
const refs = (nodes: Node[]) => nodes.map((node) => node.provider_ref);

const nodes = async (query: NonNullable<paths["/graphs/{graph_id}/nodes"]["get"]["parameters"]["query"]>) =>
  got(await GET("/graphs/{graph_id}/nodes", { params: { path, query } }));

const steps: Record<string, () => Promise<void>> = {
  async graphs() {
    const listed = got(await GET("/graphs", { params: { query: { last_event: { gte: 0 } } } }));
    assert.ok(listed.data.some(({ id }) => id === facts.graph));
    const one = got(await GET("/graphs/{graph_id}", { params: { path, query: { as_of: late.event } } }));
    assert.equal(one.counts.nodes, late.refs.length);
  },

  async pagesForward() {
    const found: Node[] = [];
    for (let after: string | undefined; ; ) {
      const page = await nodes({ ...at, limit: 7, starting_after: after });
      found.push(...page.data);
      if (!page.has_more) break;
      after = page.data.at(-1)!.id;
    }
    assert.deepEqual(refs(found), late.refs);
  },

  async pagesBackward() {
    const last = (await nodes({ ...at, limit: 1000 })).data.at(-1)!;
    const found = [last];
    for (let more = true; more; ) {
      const page = await nodes({ ...at, limit: 7, ending_before: found[0]!.id });
      found.unshift(...page.data);
      more = page.has_more;
    }
    assert.deepEqual(refs(found), late.refs);
  },

  async searches() {
    const found: Node[] = [];
    let total = 0;
    for (let page: string | undefined; ; ) {
      const query = { query: 'state:"working" OR state:"idle"', limit: 3, page };
      const part = got(await GET("/graphs/{graph_id}/nodes/search", { params: { path, query } }));
      found.push(...part.data);
      total = part.total_count;
      if (part.next_page === null) break;
      page = part.next_page;
    }
    const listed = await nodes({ "state[]": ["working", "idle"], limit: 1000 });
    assert.ok(total > 3);
    assert.equal(found.length, total);
    assert.deepEqual(refs(found).sort(), refs(listed.data).sort());
  },

  async ranges() {
    const all = (await nodes({ limit: 1000 })).data;
    const middle = all[all.length >> 1]!.created;
    const kept = (await nodes({ limit: 1000, created: { gt: 0, lte: middle } })).data;
    assert.deepEqual(refs(kept), refs(all.filter(({ created }) => created <= middle)));
  },

  async expands() {
    const listed = (await nodes({ limit: 1000, "expand[]": ["data.parent", "data.tasks", "data.blocked.on"] })).data;
    const byId = new Map(listed.map((node) => [node.id, node]));
    for (const node of listed) {
      assert.equal(node.parent?.provider_ref, node.parent_id === null ? undefined : byId.get(node.parent_id)!.provider_ref);
      assert.equal(node.tasks!.length, node.task_counts.total);
    }
    const root = listed.find(({ depth, descendant_count }) => depth === 0 && descendant_count > 1)!;
    const params = { path: { ...path, node_id: root.id }, query: { "expand[]": ["children", "descendants"] } };
    const whole = got(await GET("/graphs/{graph_id}/nodes/{node_id}", { params }));
    assert.equal(whole.children!.data.length, root.child_count);
    assert.equal(whole.descendants!.data.length, root.descendant_count);
  },

  async follows() {
    const seen: string[] = [];
    const catchUp = async () => {
      for (let more = true; more; ) {
        const query = { order: "asc", limit: 30, starting_after: seen.at(-1) } as const;
        const page = got(await GET("/graphs/{graph_id}/events", { params: { path: { graph_id: followed.graph }, query } }));
        seen.push(...page.data.map(({ id }) => id));
        more = page.has_more;
      }
    };
    await catchUp();
    assert.ok(seen.length < followed.ids.length);
    assert.deepEqual(seen, followed.ids.slice(0, seen.length));
    const query = "mutation($g: ID!, $e: [JSON!]!) { appendEvents(graphId: $g, events: $e) { accepted } }";
    const body = JSON.stringify({ query, variables: { g: followed.graph, e: followed.later } });
    const headers = { Authorization: `Bearer ${facts.key}`, "Content-Type": "application/json" };
    await (await fetch(`${facts.url}/graphql`, { method: "POST", headers, body })).text();
    await catchUp();
    assert.deepEqual(seen, followed.ids);
    const params = { path: { graph_id: followed.graph, event_id: seen.at(-1)! }, query: { "expand[]": ["node"] } };
    assert.equal(got(await GET("/graphs/{graph_id}/events/{event_id}", { params })).id, seen.at(-1));
  },

  async notModified() {
    const first = await GET("/graphs/{graph_id}/nodes", { params: { path, query: { limit: 5 } } });
    const tag = first.response.headers.get("etag")!;
    const again = await GET("/graphs/{graph_id}/nodes", { params: { path, query: { limit: 5 }, header: { "If-None-Match": tag } } });
    assert.deepEqual([first.response.status, again.response.status], [200, 304]);
  },

  async gone() {
    const params = { path: { graph_id: trimmed.graph }, query: { as_of: trimmed.event } };
    const { error, response } = await GET("/graphs/{graph_id}", { params });
    assert.equal(response.status, 410);
    assert.equal(error!.error.code, "outside_retention_window");
    assert.ok(error!.error.first_event_id! > trimmed.event);
  },

  async limited() {
    const hurried = client(facts.limited_url, facts.limited_key);
    const statuses = [];
    let last;
    for (let times = 0; times <= facts.burst; times++) statuses.push((last = await hurried.GET("/graphs")).response.status);
    assert.deepEqual(statuses, [...Array(facts.burst).fill(200), 429]);
    assert.equal(last!.error!.error.code, "rate_limit");
    assert.ok(Number(last!.response.headers.get("retry-after")) >= 1);
  },
};

for (const [name, step] of Object.entries(steps)) {
  await step();
  console.log(name);
}
