// urql with its normalized cache: a nested tree, pages both ways, two moments in one cache, automatic persisted queries.
import assert from "node:assert/strict";
import { Client, fetchExchange } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";
import { persistedExchange } from "@urql/exchange-persisted";
import { buildSchema, introspectionFromSchema, isObjectType } from "graphql";
import { facts, headers, levels, watched } from "./facts.mjs";
import { PAGE, STATE, TREE } from "./operations.mjs";

const { graph, early, late, changed } = facts;
const url = `${facts.url}/graphql`;
const schema = buildSchema(facts.schema);
const byKey = ["Graph", "Node", "Event"];
const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !type.name.startsWith("__"));
const keys = Object.fromEntries(types.map(({ name }) => [name, byKey.includes(name) ? (data) => data.key : () => null]));
const fetchOptions = { headers };

/** A fetch that goes on to its end: urql breaks off a request whose answer it has, and nobody hears the error. */
const whole = (send) => (address, init) => send(address, { ...init, signal: undefined });

const client = (options = {}, resolvers = {}, ahead = []) =>
  new Client({
    url,
    fetchOptions,
    preferGetMethod: false,
    fetch: whole(fetch),
    exchanges: [cacheExchange({ keys, resolvers, schema: introspectionFromSchema(schema) }), ...ahead, fetchExchange],
    ...options,
  });

const asked = async (urql, query, variables, context) => {
  const { data, error } = await urql.query(query, variables, context).toPromise();
  assert.equal(error, undefined);
  return data;
};

{
  const urql = client();
  for (const moment of [early, late]) {
    const data = await asked(urql, TREE, { graph, asOf: { event: moment.event } });
    assert.deepEqual(levels(data.graph.roots), moment.tree);
  }
}

for (const [count, cursor, end, more] of [["first", "after", "endCursor", "hasNextPage"], ["last", "before", "startCursor", "hasPreviousPage"]]) {
  const urql = client({}, { Graph: { nodes: relayPagination() } });
  let [variables, pages, nodes] = [{ graph, [count]: 7 }, 0];
  do {
    assert.ok(pages < late.refs.length);
    nodes = (await asked(urql, PAGE, variables)).graph.nodes;
    variables = { graph, [count]: 7, [cursor]: nodes.pageInfo[end] };
    pages++;
  } while (nodes.pageInfo[more]);
  assert.equal(pages, Math.ceil(late.refs.length / 7));
  assert.deepEqual(nodes.edges.map(({ node }) => node.providerRef), late.refs);
}

{
  const { sent, fetch } = watched();
  const urql = client({ fetch: whole(fetch) });
  const at = (moment) => ({ graph, asOf: { event: moment.event }, ref: changed.ref });
  const shown = [];
  for (const moment of [early, late]) shown.push((await asked(urql, STATE, at(moment))).graph.node);
  for (const [place, moment] of [early, late].entries()) {
    const kept = await asked(urql, STATE, at(moment), { requestPolicy: "cache-only" });
    assert.deepEqual(kept.graph.node, shown[place]);
  }
  assert.deepEqual(shown.map(({ state }) => state), changed.states);
  assert.deepEqual(shown.map(({ id }) => id), [changed.id, changed.id]);
  assert.notEqual(shown[0].key, shown[1].key);
  assert.equal(sent.length, 2);
}

for (const preferGetForPersistedQueries of [false, "force"]) {
  const { sent, fetch } = watched();
  const query = STATE.replace("State", preferGetForPersistedQueries ? "UrqlByGet" : "UrqlByPost");
  const ahead = () => [persistedExchange({ preferGetForPersistedQueries })];
  for (let times = 0; times < 2; times++) {
    const data = await asked(client({ fetch: whole(fetch) }, {}, ahead()), query, { graph, ref: changed.ref });
    assert.equal(data.graph.node.state, changed.states[1]);
  }
  const withText = sent.map(({ members }) => Boolean(members.query));
  const steps = withText.filter((has, place) => has !== withText[place - 1]); // now and then urql sends the same request twice
  assert.deepEqual(steps, [false, true, false], "the hash, then with the text, then the hash is enough");
  if (preferGetForPersistedQueries) assert.equal(sent.at(-1).method, "GET");
}
