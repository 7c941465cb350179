import type { Actor } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";

/** Lines of the audit about what an operator did outside of the database. */
export function operatorAudit(database: Database) {
	return {
		/** One line for each target. */
		async note(event: string, targets: readonly string[], by: Actor): Promise<void> {
			await database.write(targets.map((target) => ({ run: auditBy(by, { appPk: null, event, target }) })));
		},
	};
}
