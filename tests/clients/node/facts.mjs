// What the test knows, and how programs compare with it.
import { readFileSync } from "node:fs";

export const facts = JSON.parse(readFileSync(0, "utf8"));
export const headers = { authorization: `Bearer ${facts.key}` };

/** The tree of an answer in the form of the facts. */
export const levels = (connection) =>
  connection.nodes.map(({ providerRef, state, children }) => ({
    ref: providerRef,
    state,
    ...(children ? { children: levels(children) } : {}),
  }));

/** A fetch that remembers what was sent: one `{method, members}` a request. */
export const watched = () => {
  const sent = [];
  const watching = (url, init) => {
    const { searchParams } = new URL(url);
    const members = init?.body ? JSON.parse(init.body) : Object.fromEntries(searchParams);
    if (typeof members.extensions === "string") members.extensions = JSON.parse(members.extensions);
    sent.push({ method: init?.method ?? "GET", members });
    return fetch(url, init);
  };
  return { sent, fetch: watching };
};
