// Relay's own runtime, with what its compiler makes of relay/operations.js: a nested tree, pages both ways, two moments in one store.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import runtime from "relay-runtime";
import { facts, headers, levels, watched } from "./facts.mjs";

const { Environment, Network, RecordSource, Store } = runtime;
const { createOperationDescriptor, fetchQuery, getPaginationMetadata, getPaginationVariables, getSelector } = runtime;
const artifact = (name) => createRequire(import.meta.url)(`./relay/__generated__/${name}.graphql.js`);
const [first, more, tree, state] = ["FirstPage", "MorePages", "Tree", "State"].map((name) => artifact(`operations${name}Query`));
const pages = artifact("operationsPages_query");
const { graph, early, late, changed } = facts;

const environment = (network) =>
  new Environment({ network: Network.create(network), store: new Store(new RecordSource()), getDataID: (value) => value.key });

const post = async (members, send = fetch) => {
  const body = JSON.stringify(members);
  const answer = await send(`${facts.url}/graphql`, { method: "POST", headers: { ...headers, "content-type": "application/json" }, body });
  return answer.json();
};
const plain = ({ text }, variables) => post({ query: text, variables });

const run = async (env, query, variables) => {
  const operation = createOperationDescriptor(query, variables);
  const retained = env.retain(operation);
  await fetchQuery(env, query, variables).toPromise();
  return { operation, retained, data: env.lookup(operation.fragment).data };
};

{
  const env = environment(plain);
  for (const moment of [early, late]) {
    const { data } = await run(env, tree, { graph, asOf: { event: moment.event } });
    assert.deepEqual(levels(data.graph.roots), moment.tree);
  }
}

for (const [direction, count] of [["forward", "first"], ["backward", "last"]]) {
  const env = environment(plain);
  const start = { graph, [count]: 7 };
  const { data } = await run(env, first, start);
  const selector = getSelector(pages, data);
  const metadata = getPaginationMetadata(pages, "relay.mjs").paginationMetadata;
  const connection = () => env.lookup(selector).data.graph.nodes;
  const { hasNextPage, hasPreviousPage } = connection().pageInfo;
  assert.deepEqual([hasPreviousPage, hasNextPage], direction === "forward" ? [false, true] : [true, false]);
  let asked = 1;
  for (;;) {
    assert.ok(asked < late.refs.length);
    const { pageInfo } = connection();
    if (!(direction === "forward" ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) break;
    const cursor = direction === "forward" ? pageInfo.endCursor : pageInfo.startCursor;
    await run(env, more, getPaginationVariables(direction, 7, cursor, start, {}, metadata));
    asked++;
  }
  assert.equal(asked, Math.ceil(late.refs.length / 7));
  assert.deepEqual(connection().edges.map(({ node }) => node.providerRef), late.refs);
}

{
  const env = environment(plain);
  const shown = [];
  for (const moment of [early, late]) shown.push(await run(env, state, { graph, asOf: { event: moment.event }, ref: changed.ref }));
  const nodes = shown.map(({ operation }) => env.lookup(operation.fragment).data.graph.node);
  assert.deepEqual(nodes.map((node) => node.state), changed.states);
  assert.deepEqual(nodes.map((node) => node.id), [changed.id, changed.id]);
  const records = Object.values(env.getStore().getSource().toJSON()).filter(({ __typename }) => __typename === "Node");
  assert.equal(records.length, 2);
}

{
  const { sent, fetch } = watched();
  const persisted = async ({ text }, variables) => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: createHash("sha256").update(text).digest("hex") } };
    const answer = await post({ variables, extensions }, fetch);
    const unknown = answer.errors?.some(({ extensions: { code } }) => code === "PERSISTED_QUERY_NOT_FOUND");
    return unknown ? post({ query: text, variables, extensions }, fetch) : answer;
  };
  for (let times = 0; times < 2; times++) {
    const { data } = await run(environment(persisted), state, { graph, asOf: null, ref: changed.ref });
    assert.equal(data.graph.node.state, changed.states[1]);
  }
  assert.deepEqual(sent.map(({ members }) => Boolean(members.query)), [false, true, false]);
}
