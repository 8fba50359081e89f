/** The guide for alerts that bring no runbook, unless `defaults.runbook` gives another. */
export const BUILT_IN_RUNBOOK = `# Generic investigation guide

No runbook is written for this kind of alert. Work in this order.

## 1. Understand the alert

- What fired, where (cluster, namespace, workload, host) and since when?
- What does the alert claim, and which observation would confirm or refute it?

## 2. Look at the present state

- Start with the resource the alert names: its status, conditions and recent events.
- Go on to what it depends on and what depends on it.
- Look at logs around the time of the alert, and at restarts, throttling, evictions and limits.

## 3. Find the cause

- What changed shortly before: a deployment, a configuration, a certificate, a quota, the load?
- Separate the first failure from what followed from it.
- Test each suspicion against the data, and drop it if the data says otherwise.

## 4. Report

- The root cause, or the most likely ones with what speaks for and against each.
- The present state, and who or what is affected.
- Steps for a person to mend it, safest first; mark those that destroy or interrupt something.
- What would keep it from happening again.
- What could not be found out, and why.`;
