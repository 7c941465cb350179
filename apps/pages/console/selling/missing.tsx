import type { App, ManagedPlan, RedirectUri } from "@svc/sdk/shapes";
import type { ReactNode } from "react";
import type { Text } from "../../kit/text.ts";
import { CodeBlock } from "../kit/copy-button.tsx";
import type { ConsoleVisit } from "../kit/visit.ts";
import { t } from "../messages.ts";

interface MissingProps {
	readonly visit: ConsoleVisit;
	readonly app: App;
	readonly uris: readonly RedirectUri[];
	readonly plans: readonly ManagedPlan[];
}

interface Step {
	readonly id: string;
	readonly done: boolean;
	readonly text: Text;
	/** What there is to do. */
	readonly about?: ReactNode;
}

/** What has to be there before anybody can buy, in the order in which an Owner meets it; and then where they buy. */
export function Missing(props: MissingProps) {
	const { visit, app, uris } = props;
	const steps = stepsOf(props);
	if (steps.every(({ done }) => done)) {
		const query = new URLSearchParams({ app: app.id, redirect_uri: uris[0]?.uri ?? "" });
		return (
			<div className="card">
				<p>{t("sell.ready")}</p>
				<div>
					<CodeBlock id="billing-url">{`${visit.addresses.web}/billing?${query}`}</CodeBlock>
				</div>
			</div>
		);
	}
	return (
		<section className="card" aria-labelledby="missing">
			<h2 id="missing">{t("sell.missing")}</h2>
			<ol className="rows">
				{steps.map(({ id, done, text, about }) => (
					<li key={id}>
						<div className="what">
							<span>{text}</span>
							{!done && about}
						</div>
						<span className={done ? "tag" : "tag warns"}>{t("sell.step", { done: done ? "yes" : "no" })}</span>
					</li>
				))}
			</ol>
		</section>
	);
}

function stepsOf({ visit, app, uris, plans }: MissingProps): readonly Step[] {
	const sold = plans.filter(({ archived_at }) => archived_at === null);
	const signIn = <a href={`/console/${app.id}/sign-in`}>{t("sell.sign_in.about")}</a>;
	return [
		{
			id: "allowed",
			done: app.selling_enabled,
			text: t("sell.allowed"),
			about: visit.person.operator ? (
				<p>
					<a href={`/console/operator/apps?id=${app.id}`}>{t("sell.allowed.here")}</a>
				</p>
			) : (
				<>
					<p>{t("sell.allowed.about")}</p>
					<CodeBlock id="selling-on">{`svc selling on --app ${app.id}`}</CodeBlock>
				</>
			),
		},
		{
			id: "sign-in",
			done: app.sign_in_enabled && uris.length > 0,
			text: t("sell.sign_in"),
			about: <p>{signIn}</p>,
		},
		{ id: "plan", done: sold.length > 0, text: t("sell.plan") },
		{ id: "price", done: sold.some(({ prices }) => prices.some((one) => one.on_sale)), text: t("sell.price") },
		{ id: "active", done: app.state === "active", text: t("sell.active") },
	];
}
