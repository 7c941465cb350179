import { ApiError } from "@svc/sdk/failure";
import type { ManagedPlan, UserLimits } from "@svc/sdk/shapes";
import { ActForm, TextArea, TextField } from "../kit/forms.tsx";
import type { ConsoleVisit, Refused } from "../kit/visit.ts";
import { t } from "../messages.ts";

interface PlanFormProps {
	readonly visit: ConsoleVisit;
	readonly here: string;
	/** Undefined for one that is to be made. */
	readonly plan: ManagedPlan | undefined;
	readonly refused: Refused | undefined;
}

/** What a plan is called and brings. Its prices are made apart, since they never change. */
export function PlanForm({ visit, here, plan, refused }: PlanFormProps) {
	if (plan) {
		return (
			<section className="card narrow" aria-labelledby="change">
				<h2 id="change">{t("plans.change", { plan: <bdi>{plan.name}</bdi> })}</h2>
				<ActForm
					visit={visit}
					action={`${here}?edit=${plan.id}`}
					act="save"
					fields={{ plan: plan.id }}
					refused={refused}
				>
					<Fields act="save" plan={plan} refused={refused} />
					<div className="acts">
						<button className="primary" type="submit">
							{t("save")}
						</button>
						<a href={here}>{t("cancel")}</a>
					</div>
				</ActForm>
			</section>
		);
	}
	const isNew = visit.url.searchParams.has("new");
	return (
		<details className="ask narrow" open={isNew || refused?.act === "create"}>
			<summary className="button primary">{t("plans.new")}</summary>
			<div className="card">
				<ActForm visit={visit} action={here} act="create" refused={refused}>
					<TextField
						act="create"
						name="key"
						label={t("plans.key")}
						hint={t("plans.key.hint")}
						refused={refused}
						input={{ required: true, maxLength: 64, autoCapitalize: "none", spellCheck: false }}
					/>
					<Fields act="create" refused={refused} />
					<button className="primary" type="submit">
						{t("plans.create")}
					</button>
				</ActForm>
			</div>
		</details>
	);
}

interface FieldsProps {
	readonly act: "create" | "save";
	readonly plan?: ManagedPlan;
	readonly refused: Refused | undefined;
}

function Fields({ act, plan, refused }: FieldsProps) {
	const common = { act, refused };
	return (
		<>
			<TextField
				{...common}
				name="name"
				label={t("name")}
				value={plan?.name ?? ""}
				input={{ required: true, maxLength: 100 }}
			/>
			<TextArea {...common} name="description" label={t("plans.description")} value={plan?.description ?? ""} />
			<TextArea
				{...common}
				name="benefits"
				label={t("plans.benefits")}
				hint={t("plans.benefits.hint")}
				value={plan?.benefits.join("\n") ?? ""}
			/>
			<LimitFields {...common} limits={plan?.limits} />
			<TextField
				{...common}
				name="display_order"
				label={t("plans.order")}
				hint={t("plans.order.hint")}
				value={String(plan?.display_order ?? 0)}
				input={{ inputMode: "numeric", maxLength: 8 }}
			/>
		</>
	);
}

interface LimitFieldsProps {
	readonly act: string;
	readonly refused: Refused | undefined;
	/** Null: any number. */
	readonly limits: UserLimits | undefined;
}

/** What a user keeps. */
export function LimitFields({ limits, ...common }: LimitFieldsProps) {
	return (["images", "bytes"] as const).map((name) => (
		<TextField
			key={name}
			{...common}
			refused={ofLimit(common.refused, name)}
			name={name}
			// The form of a new plan stands on the same page.
			id={common.act === "free" ? `free-${name}` : name}
			label={t(`plans.${name}`)}
			hint={t("plans.limit.hint")}
			value={String(limits?.[name] ?? "")}
			input={{ inputMode: "numeric", maxLength: 16 }}
		/>
	));
}

/** The API refuses both limits under one name: what it says stands beside the one that is no number. */
function ofLimit(refused: Refused | undefined, name: string): Refused | undefined {
	const words = refused?.error.details?.limits ?? refused?.error.details?.free_limits;
	if (!refused || !words || /^\d*$/.test(refused.form.get(name) ?? "")) return refused;
	const { status, code, message } = refused.error;
	const error = new ApiError(status, { type: "invalid_request_error", code, message, details: { [name]: words } });
	return { ...refused, error };
}
