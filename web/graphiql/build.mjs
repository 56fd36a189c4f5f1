// Bundles GraphiQL into app/web/static/graphiql, so that no request leaves the machine when it is used.
import { copyFileSync, mkdirSync } from "node:fs";
import { build } from "esbuild";

const target = new URL("../../app/web/static/graphiql/", import.meta.url).pathname;
mkdirSync(target, { recursive: true });
await build({
  entryPoints: { graphiql: "main.jsx" },
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2020",
  legalComments: "none",
  loader: { ".woff2": "dataurl", ".woff": "dataurl", ".ttf": "dataurl", ".svg": "dataurl" },
  define: { "process.env.NODE_ENV": '"production"' },
  outdir: target,
});
copyFileSync("index.html", `${target}index.html`);
