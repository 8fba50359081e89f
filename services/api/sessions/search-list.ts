import type { ListRequest } from "./list-sessions.ts";
import { SearchCondition } from "./search-condition.ts";
import { sessionConditions } from "./session-conditions.ts";
import { sessionOrder, type SessionOrder } from "./session-order.ts";
import { SqlParameters } from "./sql-parameters.ts";
import { visibleTo } from "./visible-to.ts";

/** A list that is searched for a term. */
export type SearchRequest = ListRequest & { readonly term: string };

/** The parts of a statement over the sessions `s` of a searched list; each statement needs parts of its own. */
interface SearchList {
  readonly parameters: SqlParameters;
  /** The conditions of the list without the search. */
  readonly where: string[];
  readonly order: SessionOrder;
  readonly condition: SearchCondition;
}

/** Returns the parts of a statement that reads the sessions that the caller may see and the filters let through. */
export function searchList({ query, identity, term }: SearchRequest): SearchList {
  const parameters = new SqlParameters();
  const where = [visibleTo(identity, parameters), ...sessionConditions(query.filters, parameters)];
  return { parameters, where, order: sessionOrder(query), condition: new SearchCondition(term, parameters) };
}
