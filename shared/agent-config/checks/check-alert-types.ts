import { BUILT_IN_SETTINGS } from "#shared/agent-config/built-in/settings.ts";
import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { suggest } from "#shared/agent-config/reporter.ts";

/** The paths of alert types and of what contains them. */
const ALERT_TYPES = /^agent_chains(?:\.[\w-]+|\["[^"]*"\])?(?:\.alert_types.*)?$/u;

/** Maps every alert type to its one chain; reports those claimed twice and a default without a chain. */
export function checkAlertTypes(context: CheckContext): Map<string, string> {
  const { chains, reporter, tarsy } = context;
  const owners = new Map<string, string>();
  // Where an alert type is wrong in itself, it may have been meant to be the default one.
  const someWrong = reporter.report.hasErrorAt((path) => ALERT_TYPES.test(path));
  for (const [chainId, chain] of chains) {
    const { alert_types: alertTypes } = chain;
    alertTypes?.forEach((alertType, key) => {
      const owner = owners.get(alertType);
      if (owner === undefined) {
        owners.set(alertType, chainId);
        return;
      }
      const target = { container: alertTypes, key };
      if (owner === chainId) reporter.warn(target, "is listed twice");
      else reporter.error(target, `is handled by chain ${owner} already`, remedy(owner, context));
    });
  }
  if (!someWrong) checkDefault(owners, context);
  if (tarsy.defaults?.alert_type === undefined && !owners.has(BUILT_IN_SETTINGS.defaults.alert_type)) {
    reporter.warn(
      { container: tarsy.defaults ?? tarsy, key: "alert_type", path: "defaults.alert_type" },
      `is not set and no chain handles its built-in value ${BUILT_IN_SETTINGS.defaults.alert_type}`,
      "alerts without a type will be refused",
    );
  }
  return owners;
}

function remedy(owner: string, { chains, reporter }: CheckContext): string {
  const ownerChain = chains.get(owner);
  const isBuiltIn = ownerChain !== undefined && !reporter.sources.has(ownerChain);
  return isBuiltIn
    ? `that one is built in: give this chain the id ${owner} to replace it`
    : "an alert type belongs to exactly one chain";
}

function checkDefault(owners: ReadonlyMap<string, string>, { reporter, tarsy }: CheckContext): void {
  const alertType = tarsy.defaults?.alert_type;
  if (tarsy.defaults === undefined || alertType === undefined || owners.has(alertType)) return;
  const target = { container: tarsy.defaults, key: "alert_type" };
  reporter.error(target, "must be an alert type some chain handles", suggest(alertType, [...owners.keys()]));
}
