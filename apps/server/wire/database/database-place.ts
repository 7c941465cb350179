import type { Config } from "../../config/config.ts";

/** The database as people know it, without secrets. */
export function placeOf(where: Config["database"]): string {
	return where.kind === "file" ? where.path : (URL.parse(where.url)?.origin ?? "the libSQL server");
}
