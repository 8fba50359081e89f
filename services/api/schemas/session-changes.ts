import { Type } from "#shared/generated/typebox/typebox.mjs";
import { Uuid } from "#shared/contracts/uuid.ts";

/** `POST /api/v1/sessions/:id/cancel` */
export const CancelResponse = Type.Object({ session_id: Uuid, message: Type.String() });
