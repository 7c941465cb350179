import type { App } from "@svc/sdk/shapes";
import { ActForm, SelectField } from "../kit/forms.tsx";
import { type ConsoleVisit, hasRole, type Refused } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { LimitFields } from "./plan-form.tsx";

interface TermsProps {
	readonly visit: ConsoleVisit;
	readonly app: App;
	readonly here: string;
	readonly refused: Refused | undefined;
}

/** What holds beside the plans: what a user keeps without one, and whether the payment processor's own codes count. */
export function Terms({ visit, app, here, refused }: TermsProps) {
	if (!hasRole(app, "admin")) return null;
	return (
		<>
			<div className="card narrow">
				<h2>{t("free.title")}</h2>
				<p className="soft">{t("free.about")}</p>
				<ActForm visit={visit} action={here} act="free" refused={refused}>
					<LimitFields act="free" refused={refused} limits={app.free_limits} />
					<button className="primary" type="submit">
						{t("save")}
					</button>
				</ActForm>
			</div>
			{hasRole(app, "owner") && (
				<div className="card narrow">
					<h2>{t("codes.title")}</h2>
					<p className="soft">{t("codes.about")}</p>
					<ActForm visit={visit} action={here} act="codes" refused={refused}>
						<SelectField
							act="codes"
							name="promotion_codes"
							label={t("codes.title")}
							value={String(app.promotion_codes)}
							refused={refused}
							options={[
								{ value: "false", text: t("codes.off") },
								{ value: "true", text: t("codes.on") },
							]}
						/>
						<button className="primary" type="submit">
							{t("save")}
						</button>
					</ActForm>
				</div>
			)}
		</>
	);
}
