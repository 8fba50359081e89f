import { experimental, type ChannelOptions } from "@grpc/grpc-js";

type Result = Parameters<experimental.ResolverListener>[0];

const SCHEME = "list";

/**
 * The gRPC target of several addresses, e.g. ["a:50051", "b:50051"], each of which may be a DNS name with several
 * addresses of its own; the load balancer sees all of them. (gRPC itself takes several addresses only as literal IPs.)
 */
export function addressListTarget(addresses: readonly string[]): string {
  experimental.registerResolver(SCHEME, AddressListResolver); // a second time changes nothing
  return `${SCHEME}:${addresses.join(",")}`;
}

/** Asks the DNS resolver for each address and reports what all of them found, as soon as one has found something. */
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
    const found = this.#results.flatMap((result) => (result?.ok === true ? result.value : []));
    const failure = this.#results.find((result) => result?.ok === false);
    if (found.length > 0) return this.#listener({ ok: true, value: found }, {}, null, "");
    // An address that is still being asked for may be the good one.
    if (failure === undefined || this.#results.includes(undefined)) return true;
    return this.#listener(failure, {}, null, "");
  }
}
