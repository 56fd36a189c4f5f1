// Apollo Client: a nested tree, pages both ways, two moments in one cache, automatic persisted queries.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { ApolloClient, HttpLink, InMemoryCache, gql } from "@apollo/client";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";
import { relayStylePagination } from "@apollo/client/utilities";
import { facts, headers, levels, watched } from "./facts.mjs";
import { PAGE, STATE, TREE } from "./operations.mjs";

const { graph, early, late, changed } = facts;
const keyed = { keyFields: ["key"] };
const uri = `${facts.url}/graphql`;

const client = (link, fields = {}) =>
  new ApolloClient({
    link,
    cache: new InMemoryCache({ typePolicies: { Graph: { ...keyed, fields }, Node: keyed, Event: keyed } }),
  });

{
  const apollo = client(new HttpLink({ uri, headers }));
  for (const moment of [early, late]) {
    const { data } = await apollo.query({ query: gql(TREE), variables: { graph, asOf: { event: moment.event } } });
    assert.deepEqual(levels(data.graph.roots), moment.tree);
  }
}

for (const [count, cursor, end, more] of [["first", "after", "endCursor", "hasNextPage"], ["last", "before", "startCursor", "hasPreviousPage"]]) {
  const apollo = client(new HttpLink({ uri, headers }), { nodes: relayStylePagination(["order"]) });
  const asked = { query: gql(PAGE), variables: { graph, [count]: 7 } };
  const watching = apollo.watchQuery(asked);
  await new Promise((next, error) => watching.subscribe({ next: ({ data }) => data && next(), error }));
  const held = () => apollo.readQuery(asked).graph.nodes;
  let pages = 1;
  for (; held().pageInfo[more]; pages++) {
    assert.ok(pages < late.refs.length);
    await watching.fetchMore({ variables: { [cursor]: held().pageInfo[end] } });
  }
  assert.equal(pages, Math.ceil(late.refs.length / 7));
  assert.deepEqual(held().edges.map(({ node }) => node.providerRef), late.refs);
}

{
  const { sent, fetch } = watched();
  const apollo = client(new HttpLink({ uri, headers, fetch }));
  const at = (moment) => ({ query: gql(STATE), variables: { graph, asOf: { event: moment.event }, ref: changed.ref } });
  const shown = [];
  for (const moment of [early, late]) shown.push((await apollo.query(at(moment))).data.graph.node);
  const again = [early, late].map((moment) => apollo.readQuery(at(moment)).graph.node);
  assert.deepEqual(again, shown);
  assert.deepEqual(shown.map(({ state }) => state), changed.states);
  assert.deepEqual(shown.map(({ id }) => id), [changed.id, changed.id]);
  const entries = Object.values(apollo.cache.extract()).filter(({ __typename }) => __typename === "Node");
  assert.equal(entries.length, 2);
  assert.equal(sent.length, 2);

  const now = { query: gql(STATE), variables: { graph, ref: changed.ref }, fetchPolicy: "network-only" };
  for (let times = 0; times < 2; times++) await apollo.query(now);
  const [one, other] = [await apollo.query(now), apollo.readQuery(now)];
  assert.deepEqual(other.graph.node, one.data.graph.node);
  assert.equal(Object.values(apollo.cache.extract()).filter(({ __typename }) => __typename === "Node").length, 3, "now is one entry");
}

for (const useGETForHashedQueries of [false, true]) {
  const { sent, fetch } = watched();
  const sha256 = (text) => createHash("sha256").update(text).digest("hex");
  const link = () => new PersistedQueryLink({ sha256, useGETForHashedQueries }).concat(new HttpLink({ uri, headers, fetch }));
  const query = gql(STATE.replace("State", useGETForHashedQueries ? "ByGet" : "ByPost"));
  const variables = { graph, ref: changed.ref };
  for (let times = 0; times < 2; times++) {
    const { data } = await client(link()).query({ query, variables });
    assert.equal(data.graph.node.state, changed.states[1]);
  }
  assert.deepEqual(sent.map(({ members }) => Boolean(members.query)), [false, true, false], "the hash, then with the text, then the hash is enough");
  assert.ok(sent.every(({ members }) => members.extensions.persistedQuery.version === 1));
  if (useGETForHashedQueries) assert.equal(sent[2].method, "GET");
}
