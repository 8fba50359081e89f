import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "../../../launcher/prepare.mjs";

/** A copy of the shipped configuration for local models, with shorter answers: without a GPU a token takes a tenth of a second. */
export async function shortAnswers(tokens: number): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "tarsy-local-model-"));
  await cp(join(projectRoot, "deploy", "config", "local-model"), path, { recursive: true });
  const file = join(path, "llm-providers.yaml");
  const text = await readFile(file, "utf8");
  expect(text).to.match(/max_output_tokens: \d+/u);
  await writeFile(file, text.replace(/max_output_tokens: \d+/u, `max_output_tokens: ${tokens}`));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
