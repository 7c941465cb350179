import { Resolver } from "node:dns/promises";
import { Failure } from "@svc/base/failure";
import { inTime } from "@svc/base/pace/patience";

/** Twice as long the second time; then whoever waits is answered. */
const TRY_MS = 1_000;
const LIMIT_MS = 4_000;
/** More is no record of ours: a stranger's zone may hold any number. */
const RECORDS_MAX = 100;
/** There is no such name, or nothing of this kind under it. */
const NONE: ReadonlySet<unknown> = new Set(["ENOTFOUND", "ENODATA"]);

/**
 * What the TXT records of a name say; undefined where the DNS does not answer.
 * @param server `address:port`; the system's where it is left out
 */
export function textFinder(server: string | undefined): (name: string) => Promise<readonly string[] | undefined> {
	return async (name) => {
		const resolver = new Resolver({ timeout: TRY_MS, tries: 2 });
		if (server !== undefined) resolver.setServers([server]);
		const looking = resolver.resolveTxt(name).then(
			(records) => records.slice(0, RECORDS_MAX).map((parts) => parts.join("")),
			(failure: { readonly code?: unknown }) => (NONE.has(failure.code) ? [] : undefined),
		);
		const late = () => new Failure("server_error");
		return await inTime(looking, LIMIT_MS, late)
			.catch(() => undefined)
			.finally(() => resolver.cancel());
	};
}
