import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { RUNBOOK_FETCH_MS, MAX_LISTED_RUNBOOKS } from "#shared/contracts/runbook-requests.ts";
import { errorMessage } from "#shared/errors.ts";
import type { RunbookRepository } from "#shared/runbooks/runbook-repository.ts";
import type { Logger } from "#shared/service/logger.ts";
import { guardedFetch, type EgressRules } from "../egress/guarded-fetch.ts";
import type { RunbookSettings } from "./runbook-settings.ts";

interface RunbookListDeps {
  readonly settings: Pick<RunbookSettings, "repository" | "cacheMs" | "githubToken"> | undefined;
  readonly log: Logger;
  readonly network?: Pick<EgressRules, "resolve" | "isBlocked" | "ca">;
}

/** A tree of a large repository has about 100 bytes per file. */
const MAX_BYTES = 8 * 1_024 * 1_024;
const MAX_PATH_CHARS = 500;

const parseTree = compileParser(
  "tree of a repository",
  Type.Object(
    {
      tree: Type.Array(
        Type.Object({ path: Type.String(), type: Type.String() }, { additionalProperties: true }),
      ),
    },
    { additionalProperties: true },
  ),
);

/** The runbooks below `system.runbooks.repo_url`, asked for at most once per `cache_ttl`. */
export class RunbookList {
  readonly #deps: RunbookListDeps;
  #listing: { readonly urls: Promise<readonly string[]>; readonly until: number } | undefined;

  constructor(deps: RunbookListDeps) {
    this.#deps = deps;
  }

  /**
   * The addresses of the pages of all `.md` files, in the order of their paths, at most 1,000; those of the last listing, or none, if
   * GitHub does not answer with a list within 10 s. Throws the signal's reason once it aborts.
   */
  async read(signal: AbortSignal): Promise<readonly string[]> {
    const { settings } = this.#deps;
    if (settings?.repository === undefined) return [];
    const now = performance.now();
    if (this.#listing === undefined || now >= this.#listing.until) {
      const urls = this.#list(settings.repository, settings.githubToken, this.#listing?.urls, signal);
      this.#listing = { urls, until: now + settings.cacheMs };
    }
    return this.#listing.urls;
  }

  async #list(
    repository: RunbookRepository,
    githubToken: string,
    last: Promise<readonly string[]> | undefined,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { log, network } = this.#deps;
    const { host, repository: name, revision } = repository;
    const api = `api.${host}`;
    const headers = {
      accept: "application/vnd.github+json",
      // GitHub refuses requests without it.
      "user-agent": "tarsy",
      ...(githubToken === "" ? {} : { authorization: `Bearer ${githubToken}` }),
    };
    try {
      const url = new URL(`https://${api}/repos/${name}/git/trees/${revision}?recursive=1`);
      const rules = { allowedHosts: [api], headersFor: () => headers, maxBytes: MAX_BYTES, ...network };
      const body: unknown = JSON.parse(
        await guardedFetch(url, { ...rules, timeoutMs: RUNBOOK_FETCH_MS }, signal),
      );
      return pagesOf(parseTree(body).tree, repository);
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ repository: name, error: errorMessage(error) }, "runbooks not listed");
      return (await last) ?? [];
    }
  }
}

function pagesOf(
  tree: readonly { readonly path: string; readonly type: string }[],
  { host, repository, revision, directory }: RunbookRepository,
): readonly string[] {
  const below = directory === "" ? "" : `${directory}/`;
  return tree
    .filter(({ path, type }) => type === "blob" && path.startsWith(below) && /\.md$/iu.test(path))
    .map(({ path }) => path)
    .filter((path) => path.length <= MAX_PATH_CHARS)
    .toSorted()
    .slice(0, MAX_LISTED_RUNBOOKS)
    .map(
      (path) =>
        `https://${host}/${repository}/blob/${revision}/${path.split("/").map(encodeURIComponent).join("/")}`,
    );
}
