import { invalid } from "@svc/base/failure";
import { decimalsOf } from "@svc/base/words/money";

/* In which currencies prices can be made, and how much the least of them is. */

/**
 * Every currency of ISO 4217 that is money and in circulation, and the least that is charged in it, in its smallest unit: what the processor
 * says where it says something, else what 50 US cents were worth when this table was made, rounded up. No funds (clf), metals (xau), test
 * codes (xts, xxx), and none that was withdrawn (bgn).
 */
const LEAST =
	"aed 200 afn 3500 all 4200 amd 19200 aoa 45900 ars 72500 aud 50 awg 90 azn 85 bam 85 bbd 100 bdt 6100 bhd 190 bif 1480 bmd 50 " +
	"bnd 65 bob 350 brl 50 bsd 50 btn 4500 bwp 700 byn 170 bzd 100 cad 50 cdf 110000 chf 50 clp 470 cny 360 cop 192500 crc 25000 " +
	"cup 1200 cve 4800 czk 1500 djf 90 dkk 250 dop 3200 dzd 6500 egp 2400 ern 750 etb 7700 eur 50 fjd 115 fkp 40 gbp 30 gel 140 " +
	"ghs 600 gip 40 gmd 3700 gnf 4350 gtq 390 gyd 10500 hkd 400 hnl 1320 htg 6600 huf 17500 idr 835000 ils 165 inr 50 iqd 655000 " +
	"irr 2100000 jmd 8000 jod 360 jpy 50 kes 6500 kgs 4400 khr 201000 kmf 213 kpw 45000 krw 735 kwd 160 kyd 42 kzt 26000 " +
	"lak 1085000 lbp 4475000 lkr 15400 lrd 9000 lsl 860 lyd 2730 mad 465 mdl 850 mkd 2650 mmk 105000 mnt 178000 mop 400 " +
	"mru 2000 mur 2300 mvr 770 mwk 86750 mxn 1000 myr 200 mzn 3200 nad 860 ngn 72500 nio 1840 nok 300 npr 7150 nzd 50 omr 200 pab 50 " +
	"pen 170 pgk 210 php 2950 pkr 14050 pln 200 pyg 3500 qar 182 ron 200 rsd 5050 rub 4000 rwf 725 sar 188 sbd 420 scr 700 sdg 30000 " +
	"sek 300 sgd 50 shp 40 sle 1150 sos 28550 srd 1900 ssp 230000 stn 1060 svc 438 syp 550000 szl 860 thb 1000 tjs 460 tmt 175 " +
	"tnd 1480 top 120 try 2100 ttd 340 twd 1550 tzs 122500 uah 2100 usd 50 uyu 2000 uzs 600000 ves 12000 vnd 13150 vuv 61 " +
	"wst 140 xaf 283 xcd 135 xcg 90 xof 283 xpf 52 yer 11900 zar 860 zmw 1130 zwg 1320";

/** In circulation, but counted in other units by processors than by ISO: an amount would be charged a hundred times too high or too low. */
const COUNTED_OTHERWISE: ReadonlySet<string> = new Set(["isk", "mga", "ugx"]);

export const CURRENCY_RULE = "must be the code of a currency in circulation (ISO 4217) in lower case, as usd";

/** The largest amount that payment processors accept. */
export const AMOUNT_MAX = 99_999_999;

const leastOf: ReadonlyMap<string, number> = new Map(
	[...LEAST.matchAll(/([a-z]{3}) (\d+)/g)].map(([, code = "", least]) => [code, Number(least)]),
);

/** Whether it is the code, in lower case, of a currency in which something can be sold. */
export function isCurrency(code: string): boolean {
	return leastOf.has(code);
}

/** Why nothing can be sold in what a code that is none of those names. */
export function currencyFault(code: string): string {
	if (!COUNTED_OTHERWISE.has(code)) return CURRENCY_RULE;
	return `cannot be ${code}: payment processors count it in other units than ISO 4217, and would charge another amount`;
}

/** In steps of how much an amount can be charged: cards are charged in hundredths at the finest. */
export function stepOf(currency: string): number {
	return decimalsOf(currency) === 3 ? 10 : 1;
}

/** @throws Failure validation_error under `amount`, naming the bound */
export function refuseAmount({ amount, currency }: { readonly amount: number; readonly currency: string }): void {
	const least = leastOf.get(currency) ?? 1;
	if (amount < least) throw invalid("amount", `must be at least ${least} in ${currency}: less cannot be charged`);
	if (amount > AMOUNT_MAX) throw invalid("amount", `must be at most ${AMOUNT_MAX}`);
	if (amount % stepOf(currency) !== 0) {
		throw invalid("amount", `must be a multiple of 10 in ${currency}: it is charged in steps of ten`);
	}
}
