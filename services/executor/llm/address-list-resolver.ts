import { experimental, type ChannelOptions } from "@grpc/grpc-js";

type Result = Parameters<experimental.ResolverListener>[0];

const SCHEME = "list";

/**
 * The gRPC target for several addresses, e.g. ["a:50051", "b:50051"]. Each may be a DNS name that resolves to several
 * IP addresses; the load balancer gets all of them. (gRPC itself accepts several addresses only as literal IPs.)
 */
export function addressListTarget(addresses: readonly string[]): string {
  experimental.registerResolver(SCHEME, AddressListResolver); // idempotent
  return `${SCHEME}:${addresses.join(",")}`;
}

/** Resolves each address by DNS and reports the combined results as soon as one address has resolved. */
class AddressListResolver implements experimental.Resolver {
  readonly #children: experimental.Resolver[];
  readonly #results: (Result | undefined)[];
  readonly #listener: experimental.ResolverListener;

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
    for (const child of this.#children) child.updateResolution();
  }

  destroy(): void {
    for (const child of this.#children) child.destroy();
  }

  #report(): boolean {
    const resolved = this.#results.flatMap((result) => (result?.ok === true ? result.value : []));
    const failure = this.#results.find((result) => result?.ok === false);
    if (resolved.length > 0) return this.#listener({ ok: true, value: resolved }, {}, null, "");
    // An address that is still being resolved may succeed.
    if (failure === undefined || this.#results.includes(undefined)) return true;
    return this.#listener(failure, {}, null, "");
  }
}
