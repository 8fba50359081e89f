import { experimental, type ChannelOptions } from "@grpc/grpc-js";

type Result = Parameters<experimental.ResolverListener>[0];
type ResolvedAddress = Extract<Result, { ok: true }>["value"][number];

const SCHEME = "list";
/** How often names are resolved again while all connections are fine, to find new replicas. */
const REFRESH_MS = 30_000;
/** How many refreshes an address is kept after DNS named it last: five minutes. */
const KEPT_REFRESHES = 10;

/**
 * The gRPC target for one or more addresses, e.g. ["a:50051", "b:50051"]. Each may be a DNS name that resolves to several
 * IP addresses; the load balancer gets all of them. (gRPC itself accepts several addresses only as literal IPs.)
 */
export function addressListTarget(addresses: readonly string[]): string {
  experimental.registerResolver(SCHEME, AddressListResolver); // idempotent
  return `${SCHEME}:${addresses.join(",")}`;
}

/**
 * Resolves each address by DNS and reports the combined results as soon as one address has resolved. gRPC asks for a
 * resolution only after it has lost a connection, so this resolver also looks for new replicas by itself. An address that
 * DNS stops naming is kept for a while: gRPC closes its connection when it is missing from a report, with the calls that
 * are running there, and a DNS answer may be incomplete.
 */
class AddressListResolver implements experimental.Resolver {
  readonly #children: experimental.Resolver[];
  /** Each child's last result, successful or not. */
  readonly #results: (Result | undefined)[];
  readonly #listener: experimental.ResolverListener;
  /** The endpoints that DNS has named, keyed by JSON, with the refresh at which it named them last. */
  readonly #endpoints = new Map<string, { endpoint: ResolvedAddress; seen: number }>();
  #refreshes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The list that the load balancer uses; undefined if it has none yet. */
  #reported: string | undefined;

  static getDefaultAuthority({ path }: experimental.GrpcUri): string {
    return path.split(",", 1)[0] ?? path;
  }

  constructor(
    { path }: experimental.GrpcUri,
    listener: experimental.ResolverListener,
    options: ChannelOptions,
  ) {
    const addresses = path.split(",");
    this.#listener = listener;
    this.#results = addresses.map(() => undefined);
    this.#children = addresses.map((address, index) =>
      experimental.createResolver(
        { scheme: "dns", path: address },
        (result) => {
          this.#results[index] = result;
          return this.#report();
        },
        options,
      ),
    );
  }

  updateResolution(): void {
    this.#timer ??= setInterval(() => this.#refresh(), REFRESH_MS).unref();
    for (const child of this.#children) child.updateResolution();
  }

  /** gRPC also calls this when the channel becomes idle, and updateResolution when it is used again. */
  destroy(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#endpoints.clear();
    this.#reported = undefined;
    for (const child of this.#children) child.destroy();
  }

  #refresh(): void {
    this.#refreshes += 1;
    for (const child of this.#children) child.updateResolution();
  }

  #report(): boolean {
    for (const endpoint of this.#results.flatMap((result) => (result?.ok === true ? result.value : []))) {
      this.#endpoints.set(JSON.stringify(endpoint), { endpoint, seen: this.#refreshes });
    }
    for (const [key, { seen }] of this.#endpoints) {
      if (seen < this.#refreshes - KEPT_REFRESHES) this.#endpoints.delete(key);
    }
    const failure = this.#results.find((result) => result?.ok === false);
    if (this.#endpoints.size > 0) return this.#reportEndpoints();
    // An address that is still being resolved may succeed.
    if (failure === undefined || this.#results.includes(undefined)) return true;
    this.#reported = undefined;
    return this.#listener(failure, {}, null, "");
  }

  #reportEndpoints(): boolean {
    const keys = [...this.#endpoints.keys()].sort().join("\n");
    if (keys === this.#reported) return true; // a report makes the load balancer start over
    const accepted = this.#listener(
      { ok: true, value: [...this.#endpoints.values()].map(({ endpoint }) => endpoint) },
      {},
      null,
      "",
    );
    this.#reported = accepted ? keys : undefined;
    return accepted;
  }
}
