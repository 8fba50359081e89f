import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";

/** Checks both lists of skills of an agent, or of a reference to one: every name is known and occurs once. */
export function checkSkills(
  entry: {
    readonly skills?: (string | undefined)[] | undefined;
    readonly required_skills?: (string | undefined)[] | undefined;
  },
  { reporter, names }: Pick<CheckContext, "reporter" | "names">,
): void {
  for (const list of [entry.skills, entry.required_skills]) {
    list?.forEach((name, key) => {
      const target = { container: list, key };
      reporter.unknownName(target, "skill", name, names.skills);
      if (name !== undefined && list.indexOf(name) < key) reporter.error(target, "must be listed once");
    });
  }
}
