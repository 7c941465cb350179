import type { OwnInvoice } from "@svc/billing/subscription";
import type { ReactNode } from "react";
import { Day } from "../kit/parts.tsx";
import { type Page, show } from "../kit/visit.ts";
import { t } from "./messages.ts";
import { money, planTitle } from "./plan-texts.tsx";

/* One invoice with what was paid and paid back, which prints on one sheet. */

interface InvoiceProps {
	/** The service's own name. */
	readonly service: string;
	readonly email: string;
	readonly invoice: OwnInvoice;
}

export function invoicePage({ service, email, invoice }: InvoiceProps): Page {
	const { number, plan, lines, currency } = invoice;
	const title = t("invoice.title", { number });
	const body = (
		<div className="card invoice">
			<h1>{title}</h1>
			<dl className="facts">
				<Fact name={t("invoice.from")}>
					<bdi>{plan.seller.kind === "app" ? plan.seller.name : service}</bdi>
				</Fact>
				<Fact name={t("invoice.to")}>
					<bdi>{email}</bdi>
				</Fact>
				<Fact name={t("invoice.date")}>
					<Day ms={invoice.createdMs} />
				</Fact>
				<Fact name={t("invoice.for")}>{planTitle(plan)}</Fact>
				<Fact name={t("invoice.period")}>
					<Range fromMs={invoice.periodStartMs} toMs={invoice.periodEndMs} />
				</Fact>
				<Fact name={t("invoice.state")}>{t("invoice.status", { status: invoice.status })}</Fact>
			</dl>
			<table className="lines">
				<thead>
					<tr>
						<th scope="col">{t("invoice.line")}</th>
						<th scope="col">{t("invoice.quantity")}</th>
						<th scope="col">{t("invoice.amount")}</th>
					</tr>
				</thead>
				<tbody>
					{lines.map((line, place) => (
						// biome-ignore lint/suspicious/noArrayIndexKey: the list is rendered once, and lines may repeat
						<tr key={place}>
							<td>
								<bdi>{line.description}</bdi>
								<br />
								<span className="fine">
									<Range fromMs={line.periodStartMs} toMs={line.periodEndMs} />
								</span>
							</td>
							<td>{line.quantity}</td>
							<td>{money(line.amount, currency)}</td>
						</tr>
					))}
				</tbody>
				<Sums invoice={invoice} />
			</table>
			{invoice.processorUrl && (
				<p>
					<a href={invoice.processorUrl} rel="noopener noreferrer">
						{t("invoice.processor")}
					</a>
				</p>
			)}
			<p>
				<a className="back" href={`/account/plans/${plan.id}`}>
					{t("back.plan")}
				</a>
			</p>
		</div>
	);
	return show(title, body, { wide: true });
}

function Fact({ name, children }: { readonly name: ReactNode; readonly children: ReactNode }) {
	return (
		<div>
			<dt>{name}</dt>
			<dd>{children}</dd>
		</div>
	);
}

function Range({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }) {
	return t("invoice.range", { from: <Day ms={fromMs} />, to: <Day ms={toMs} /> });
}

function Sums({ invoice }: Pick<InvoiceProps, "invoice">) {
	const { subtotal, tax, total, amountDue, amountPaid, paidMs, currency, refunds } = invoice;
	const credit = Math.max(0, total) - amountDue;
	const rows: readonly (readonly [ReactNode, number])[] = [
		[t("invoice.subtotal"), subtotal],
		[t("invoice.tax"), tax],
		[t("invoice.total"), total],
		...(credit > 0 ? [[t("invoice.credit"), -credit] as const] : []),
		[t("invoice.due"), amountDue],
		...(paidMs === null ? [] : [[t("invoice.paid", { day: <Day ms={paidMs} /> }), amountPaid] as const]),
		...refunds.map(({ amount, atMs }) => [t("invoice.back", { day: <Day ms={atMs} /> }), -amount] as const),
	];
	return (
		<tfoot>
			{rows.map(([name, amount], place) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: the rows are rendered once, in their order
				<tr key={place}>
					<th scope="row" colSpan={2}>
						{name}
					</th>
					<td>{money(amount, currency)}</td>
				</tr>
			))}
		</tfoot>
	);
}
