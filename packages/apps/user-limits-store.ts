import { apps } from "@svc/base/database/schema/apps";
import { plans } from "@svc/base/database/schema/billing/plans";
import { updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { eq, isNotNull, or, sql } from "drizzle-orm";

/** Belongs to every commit that changes a limit of an App's users: afterwards the App says whether there is any. */
export function followUserLimits(appPk: number): Step {
	const ofPlan = sql`EXISTS (SELECT 1 FROM ${plans} WHERE ${plans.appPk} = ${apps.pk}
		AND (${plans.imagesLimit} IS NOT NULL OR ${plans.bytesLimit} IS NOT NULL))`;
	const limitsUsers = or(isNotNull(apps.freeImagesLimit), isNotNull(apps.freeBytesLimit), ofPlan);
	return updateStep(apps, { limitsUsers }, eq(apps.pk, appPk));
}
