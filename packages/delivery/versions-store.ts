import { apps } from "@svc/base/database/schema/apps";
import { updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { eq, sql } from "drizzle-orm";

/** Must be in the batch of every change of an App's presets and signing keys: what processes keep of them is read anew from then on. */
export function changedStep(appPk: number): Step<never> {
	return updateStep(apps, { deliveryVersion: sql`${apps.deliveryVersion} + 1` }, eq(apps.pk, appPk));
}
