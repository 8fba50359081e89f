export { Type, type Static, type TEnum, type TSchema } from "typebox";
