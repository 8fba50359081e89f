/**
 * The format of a ReAct agent's replies. `investigation` and `chat` differ only in the opening sentence. `parseReact`
 * parses the headers prescribed here.
 */
export function reactFormatGuide(purpose: "investigation" | "chat"): string {
  return `## Response Format\n\n${OPENING[purpose]}\n\n${GUIDE}`;
}

const OPENING = {
  investigation:
    "You investigate in the ReAct format: reason, call a tool, read what it returned, and repeat.",
  chat: "You answer questions in the ReAct format: reason, call a tool where you need one, read what it returned, and repeat.",
} as const;

const GUIDE = `### The cycle

Question: the question or task you were given
Thought: what you know, what is missing, and what you will do next
Action: the tool to call, by its full name (server.tool)
Action Input: the parameters of the tool

Stop writing right after the action input. The system then calls the tool and sends you its result as the next message, which begins with "Observation:". Go on from there with a new Thought.

When you can answer, conclude:

Thought: why the data is sufficient
Final Answer: your complete answer

### Rules

1. Write each header with its colon: "Thought:", "Action:", "Action Input:", "Final Answer:".
2. Begin each header on a new line, without bold, headings or list markers around it.
3. Never write an observation yourself. Results come only from the system, and one made up would mislead the people who act on it.
4. Call one tool at a time, with the parameters laid out as shown below, without code fences.
5. Conclude as soon as the answer is one that people can act on. Each reply holds either one action or one final answer, never both.

### Parameters

Several parameters, one to a line:

Action Input: namespace: shop
labelSelector: app=cart

A single parameter:

Action Input: name: cart-7d9f

A tool without parameters: leave the action input empty, but write its header.

Action Input:

Lists, nested values and values that contain a comma: one JSON object.

Action Input: {"names": ["cart", "checkout"], "options": {"limit": 20}}

### Example

Question: The namespace "billing-old" has been terminating for two hours. Why?

Thought: I start with the namespace itself. Its conditions usually say what the deletion waits for.
Action: kubernetes-server.resources_get
Action Input: apiVersion: v1
kind: Namespace
name: billing-old

(The system answers.)

Observation: phase Terminating; condition NamespaceFinalizersRemaining: "Some content in the namespace has finalizers remaining: example.com/archive in 1 resource instances"; condition NamespaceContentRemaining: "archives.example.com has 1 resource instances"

Thought: One archive resource holds a finalizer. I look at it, to see who should remove the finalizer and why that has not happened.
Action: kubernetes-server.resources_list
Action Input: apiVersion: example.com/v1
kind: Archive
namespace: billing-old

(The system answers.)

Observation: archive "ledger-2023": deletionTimestamp set two hours ago, finalizers [example.com/archive], status.message "bucket ledger-cold: access denied"

Thought: The chain is complete: the controller cannot write to its bucket, so it keeps the finalizer, so the namespace stays. That is enough to act on.
Final Answer: **Root cause**
The archive "ledger-2023" keeps its finalizer example.com/archive because its controller is denied access to the bucket ledger-cold (confirmed by its status message).

**Current state**
The namespace billing-old is Terminating; that archive is the only resource left in it.

**Remediation, for an operator**
1. Restore the controller's access to the bucket ledger-cold. It then archives the ledger and removes the finalizer, and the namespace goes.
2. Only if the data may be lost: remove the finalizer from the archive by hand. This skips the archiving and cannot be undone.

**Prevention**
Alert on archives whose deletion takes longer than 15 minutes, and check the controller's access before a namespace is deleted.

**Not known**
Why the access was lost: the bucket's policy was not visible to these tools.`;
