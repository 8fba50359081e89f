import { expect } from "chai";
import { verifyQuotes } from "../../features/conclusions/verify-quotes.ts";

function outcomeOf(text: string, quote: string): string {
  const [checked] = verifyQuotes(
    [{ claim_id: "c1", list: "claim", source: "r1", lines: "", quote }],
    [{ id: "r1", kind: "result", text }],
  );
  return checked?.note ? `${checked.outcome}: ${checked.note}` : (checked?.outcome ?? "");
}

const BLOCKS = "Name: cart-7f9c\nNode: n1\nStatus: Running\n\nName: shop-5d4\nNode: n2\nStatus: Failed";
const LIST = [
  { name: "cart", ready: true },
  { name: "shop", ready: false },
];
const PODS = { cart: { name: "cart-1", phase: "Up" }, shop: { name: "shop-1", phase: "Down" } };

/** What could be changed in a quote without changing its words much, a source, and quotes with their outcomes. */
const KINDS: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
  [
    "words that negate",
    "none of the pods are up\nneither replica was promoted\nnor is the index complete\nstays Pending unless the node is drained\nkubelet failed to start container nginx\nEvents:  <none>  for cart-1 here\n✗ certificate of shop valid",
    {
      "of the pods are up": "altered: negation",
      "replica was promoted": "altered: negation",
      "is the index complete": "altered: negation",
      "the node is drained": "altered: negation",
      "start container nginx": "altered: negation",
      "kubelet … start container": "altered: ellipsis",
      "kubelet failed to start container": "verified",
      "for cart-1 here": "verified",
      "certificate of shop valid": "altered: negation",
    },
  ],
  [
    "a count of none",
    "preemption: 0/3 nodes are available: 3 Insufficient memory\n200 OK, 0 errors in 24 h\nerrors: 0 requests: 5",
    {
      "0/3 nodes are available": "verified",
      "nodes are available: 3": "altered: negation",
      "errors in 24 h": "altered: negation",
      "requests: 5": "verified",
    },
  ],
  [
    "a value that says no",
    '{"containersReady": false, "podScheduled": "True"}\nprobe of cart passed: no\nwork cannot keep up: no worker is free',
    {
      containersReady: "altered: negation",
      '"podScheduled": "True"': "verified",
      "probe of cart passed": "altered: negation",
      "probe of cart passed: no": "verified",
      "work cannot keep up": "verified",
    },
  ],
  [
    "a setting in a comment",
    "# max_connections = 500\nmax_connections = 20",
    { "max_connections = 500": "altered: negation", "max_connections = 20": "verified" },
  ],
  [
    "comparisons",
    'rate{code!="200"} is high\nphase != Running for cart\nmemory usage > memory limit\nusage > 90% for cart\nload 95% for cart\n< replicas: 3\n> replicas: 0',
    {
      'rate{code="200"} is high': "altered: words",
      'rate{code!="200"} is high': "verified",
      '"200"} is high': "altered: negation",
      "phase = Running for cart": "altered: words",
      "memory usage < memory limit": "altered: words",
      "memory usage > memory limit": "verified",
      "usage 90% for cart": "altered: words",
      "load > 95% for cart": "altered: words",
      "> load 95% for cart": "verified",
      "> replicas: 3": "altered: words",
    },
  ],
  [
    "units",
    "request of 300 m of cpu, sent 512 kB, free 512 KiB left\nheap 64 MiB of 128MiB took 41.145\u00B5s at 75% or 75\u201385%",
    {
      "request of 300 M of cpu": "altered: case",
      "sent 512 KB, free": "altered: case",
      "kB, free 512": "altered: words",
      "heap 64MiB of": "verified",
      "of 128 MiB took": "verified",
      "64MiB of 128 MiB": "verified",
      "at 75 % or 75 - 85%": "altered: words",
      "at 75 % or 75-85 %": "verified",
      "or 75-85": "absent: too_short",
      "took 41.145\u00B5s at 75": "altered: words",
      "took 41.15\u03BCs": "verified: rounded",
    },
  ],
  [
    "versions",
    "runtime is Python 3.12 now, from 1.27 to 1.28, load: 3.12 now",
    {
      "runtime is Python 3.1 now": "altered: words",
      "from 1.3 to 1.3": "absent",
      "load: 3.1 now": "verified: rounded",
    },
  ],
  [
    "marks that stand for everything",
    'resources: ["pods"], verbs: [], schedule: 0 * 0 * *',
    {
      'resources: ["pods"], verbs: ["*"]': "altered: words",
      "schedule: 0 0 * * *": "altered: words",
      "schedule: 0 * 0 * *": "verified",
      '**resources**: ["pods"]': "verified",
    },
  ],
  [
    "members of two objects",
    `${JSON.stringify(LIST)}\n${JSON.stringify(LIST, null, 2)}`,
    {
      '{"ready": true, "name": "shop"}': "altered: words",
      "ready: true, name: shop": "altered: words",
      '"ready":true},{"name":"shop"': "verified",
      '"name": "cart",\n"ready": true': "verified",
    },
  ],
  [
    "an ellipsis before a value of another name, or of another object",
    `${JSON.stringify(PODS)}\nDiskPressure: False, MemoryPressure: True`,
    {
      '"name":"cart-1" … "phase":"Down"': "altered: ellipsis",
      '"cart": … "Down"': "altered: ellipsis",
      "DiskPressure … True": "altered: ellipsis",
      '{"cart" … "phase":"Up"': "verified",
    },
  ],
  [
    "an ellipsis before the same line of another block",
    `${BLOCKS}\nerror: disk one is full\nerror: disk two is full\nerror: disk six is full`,
    {
      "Name: cart-7f9c … Status: Failed": "altered: ellipsis",
      "Name: cart-7f9c … Status: Running": "verified",
      "error: disk one is full … error: disk six is full": "verified",
    },
  ],
  [
    "marks of lists",
    '"command":["sh","-c"],"image":"busybox"\n- replicas: 3 of cart\n+ replicas: 0 of cart',
    {
      "command:\n- sh\n- -c\nimage: busybox": "verified",
      "- replicas: 3 of cart": "verified",
      "- replicas: 0 of cart": "altered: words",
    },
  ],
];

describe("verifyQuotes refuses what changes", () => {
  for (const [kind, text, quotes] of KINDS) {
    it(kind, () => {
      const outcomes = Object.keys(quotes).map((quote) => [quote, outcomeOf(text, quote)]);
      expect(Object.fromEntries(outcomes)).to.deep.equal(quotes);
    });
  }
});
