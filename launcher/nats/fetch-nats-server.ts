import { fetchDebianPrograms } from "../debian/fetch-debian-programs.ts";

/** A Go program without libraries also runs on older releases than this one. */
const SUITE = "forky";

/**
 * Downloads Debian's package and puts its nats-server at `target` (a path in `toolsDir`), as an ordinary user and without
 * changing the package state of the machine.
 * @throws Error whose message is a sentence fragment with the cause.
 */
export async function fetchNatsServer({
  toolsDir,
  target,
}: {
  toolsDir: string;
  target: string;
}): Promise<void> {
  const programs = { "nats-server": target };
  await fetchDebianPrograms({ toolsDir, packageName: "nats-server", suite: SUITE, programs });
}
