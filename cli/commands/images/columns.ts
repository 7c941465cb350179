import { IMAGE } from "@svc/nouns/image";
import { fields } from "../../kit/output/table.ts";

/** Columns of new images: the address is what they were made for. */
export const CREATED_COLUMNS = [...IMAGE.columnsOf("id", "filename"), ...fields("url")];
