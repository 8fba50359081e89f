import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";

const OPERATIONS = join(import.meta.dirname, "../../docs/operations.md");

/** The commands of the chapter "Backup and restore" as they stand, for another project. */
export async function documentedRestore(project: string): Promise<string> {
  const [, chapter = ""] = (await readFile(OPERATIONS, "utf8")).split("## Backup and restore\n");
  const blocks = [...(chapter.split("\n## ", 1)[0]?.matchAll(/```sh\n([\s\S]*?)```/gu) ?? [])];
  const commands = blocks.map(([, block = ""]) => block).join("");
  expect(commands).to.contain("project=tarsy ").and.to.contain("pg_dump").and.to.contain("pg_restore");
  return commands.replaceAll("project=tarsy ", `project=${project} `);
}
