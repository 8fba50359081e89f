import { printable } from "../terminal/terminal-style.ts";
import type { Found } from "./found.ts";
import { chosenProvider } from "./found.ts";

/** What was found and what was not, one line each. `asked` are the addresses that were asked for a model. */
export function foundReport(found: Found, asked: readonly string[]): string {
  const { keys, models, cluster } = found;
  const chosen = chosenProvider(found);
  const lines = [
    ...keys.map(({ variable, provider }) => `found      ${variable}: provider ${provider}`),
    ...models.map(({ name, url, model }) => `found      ${name} at ${url} with ${model}`),
    ...(cluster.kubeconfig === undefined
      ? []
      : [`found      ${cluster.kubeconfig.path}: context ${cluster.kubeconfig.context}, to be read only`]),
    ...(keys.length === 0 ? ["not found  an API key in the environment, such as GOOGLE_API_KEY"] : []),
    ...(models.length === 0 ? [`not found  a model server at ${asked.join(", ")}`] : []),
    ...(cluster.kubeconfig === undefined ? [`not found  a cluster: ${cluster.problem}`] : []),
    ...(chosen === undefined ? [] : [`agents use ${chosen}`]),
  ];
  return lines.map((line) => `${printable(line)}\n`).join("");
}
