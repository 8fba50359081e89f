import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { printProgress } from "./print-output.ts";

type BuildPage = {
  /** Contains `web/build.ts`; without it there is no page. */
  readonly servicesDir: string;
  readonly signal: AbortSignal;
};

const maxOutput = 4_000;

/**
 * Builds the page that the api serves, unless it is up to date. A page that cannot be built is one line of output, and TARSy
 * runs without it, or with the one before. Never rejects.
 * @returns whether the page is up to date
 */
export async function buildPage({ servicesDir, signal }: BuildPage): Promise<boolean> {
  const entry = join(servicesDir, "web", "build.ts");
  if (!existsSync(entry) || signal.aborted) return false;
  const child = spawn(process.execPath, [entry], { stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(0, maxOutput);
  });
  const stop = (): void => void child.kill("SIGTERM");
  signal.addEventListener("abort", stop);
  const end = await new Promise<string | undefined>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code) => resolve(code === 0 ? undefined : firstError(output)));
  });
  signal.removeEventListener("abort", stop);
  if (end === undefined) return true;
  if (signal.aborted) return false;
  const isThere = existsSync(join(servicesDir, "web", "dist", "index.html"));
  const consequence = isThere ? "so the API keeps the one before" : "so the API has none";
  printProgress(`the page could not be built (${end}), ${consequence}; see it with: npm run build:web`);
  return false;
}

function firstError(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  return (
    lines.find((line) => /error/iu.test(line)) ?? lines.find((line) => line !== "") ?? "it printed nothing"
  );
}
