// The audits of graphql-http (GraphQL over HTTP), as the server under test fares: one line of JSON for each.
import { serverAudits } from "graphql-http";
import { facts } from "./facts.mjs";

const fetchFn = (url, init = {}) => fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${facts.key}` } });

for (const audit of serverAudits({ url: `${facts.url}/graphql`, fetchFn })) {
  const { id, name, status, reason } = await audit.fn();
  console.log(JSON.stringify({ id, name, status, reason }));
}
