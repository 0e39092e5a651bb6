/**
 * What a word beside a number says about it.
 *
 * `reference` words cancel everything that is not proved by its own form; `weak_reference` words are also ordinary
 * words ("case", "page"), so they do it only with "number", "id" or `#` after them, and otherwise merely cancel an
 * account further away. `transfer` words introduce references, and lead to accounts. `amount` is money or a quantity.
 */
export type Label =
  | "account"
  | "phone"
  | "aadhaar"
  | "vid"
  | "pan"
  | "gstin"
  | "ifsc"
  | "card"
  | "upi"
  | "landline"
  | "voter"
  | "passport"
  | "licence"
  | "vehicle"
  | "abha"
  | "uan"
  | "dob"
  | "iban"
  | "ssn"
  | "transfer"
  | "reference"
  | "weak_reference"
  | "amount";

/** Lower case; Devanagari without nukta. Keys joined with their "no" are common in forms and JSON. */
export const LABEL_WORDS: Readonly<Record<Label, string>> = {
  account: `account accounts acct accts acc accnt acount accout accont a/c a/cs ac accountno accountnumber accountnum accno
    accnum accnumber acctno acctnum acno acnum a/cno bankac bankaccount bankacc khata khaata khate khaate khatey khatha
    khataa khatano khatanumber khatasankhya खाता खाते खातें खातों खात्यात खाता-संख्या अकाउंट अकाउन्ट एकाउंट एकाउन्ट
    आकाउंट अकौंट अकॉउंट अकांउट बैंकखाता
    অ্যাকাউন্ট অ্যাকাউন্ট ખાતું ખાતા ખાતામાં એકાઉન્ટ ਖਾਤਾ ਖਾਤੇ கணக்கு ఖాతా అకౌంట్ ಖಾತೆ അക്കൗണ്ട്`,
  phone: `phone phones phoneno phonenumber phonenum ph phn phno fone mob mobile mobiles mobileno mobilenumber mobilenum
    mobno moble cell cellphone cellno tel tele telephone telno telnum contact contacts contactno contactnumber call
    calls called calling caller callback kal-back ring rings rang dial dialed dialled whatsapp whatsap whatsup watsapp
    wattsapp wa wame sms msg texted missedcall helpline फोन फोनन फोननंबर मोबाइल मोबाईल मोबाइलनंबर मो कॉल काल संपर्क
    सम्पर्क व्हाट्सएप व्हाट्सऐप व्हाट्सअप व्हाट्सप्प वॉट्सएप वॉट्सऐप दूरभाष एसएमएस
    msisdn ফোন মোবাইল ફોન મોબાઇલ મોબાઈલ ਫੋਨ ਮੋਬਾਈਲ போன் மொபைல் தொலைபேசி ఫోన్ మొబైల్ ಫೋನ್ ಮೊಬೈಲ್ ഫോൺ മൊബൈൽ`,
  aadhaar: `aadhaar aadhar adhaar adhar aadhaarno aadharno aadhaarnumber aadharnumber adharno adhaarno aadhaarcard
    aadharcard adharcard adhaarcard aadaar aadhaarnum uid uidai uidno आधार आधारकार्ड आधारनंबर अाधार আধার આધાર ਆਧਾਰ
    ஆதார் ఆధార్ ಆಧಾರ್ ആധാർ`,
  vid: `vid virtualid aadhaarvid`,
  pan: `pan panno pancard pannumber pancardno पैन पैनकार्ड`,
  gstin: `gstin gstinno gst gstno gstnumber जीएसटी जीएसटीआईएन`,
  ifsc: `ifsc ifs ifsccode ifscode ifscno आईएफएससी आइएफएससी आईएफएससीकोड`,
  card: `card cards cardno cardnumber debitcard creditcard visa mastercard rupay amex diners कार्ड`,
  upi: `upi vpa upiid gpay googlepay phonepe bhim यूपीआई`,
  landline: `landline landlines std office-phone लैंडलाइन`,
  voter: `voter voterid voters epic epicno electoral वोटर मतदाता`,
  passport: `passport passportno passportnumber pasport पासपोर्ट`,
  licence: `licence license dl dlno licenceno licenseno drivinglicence drivinglicense लाइसेंस`,
  vehicle: `vehicle vehicleno vehiclenumber car bike scooter truck taxi cab numberplate plate rc regno gaadi gadi गाड़ी
    गाडी वाहन`,
  abha: `abha abhaid abhano ndhm abdm healthid आभा`,
  uan: `uan uanno epf epfo pf provident यूएएन`,
  dob: `dob birthdate dateofbirth birthday birth born janm janam janmdin जन्म जन्मतिथि जन्मदिन`,
  iban: `iban ibanno`,
  ssn: `ssn ssnno`,
  transfer: `imps neft rtgs ecs nach`,
  reference: `ref refs refno refid refnum reference references referenceno referencenumber utr utrno rrn rrnno txn txns
    txnid txnno transaction transactions transactionid trans trxn trx order orders orderid orderno ordernumber
    ord ordr odr invoice invoices inv invoiceno invoiceid bill billno challan challanno chalan ewb eway ewaybill awb awbno
    waybill tracking trackingid trackingno docket docketno consignment shipment parcel ticket tickets ticketid ticketno
    tkt id ids pnr pnrno crn cif cin arn srn ack ackno acknowledgement acknowledgment imei imsi iccid isbn issn ean upc
    gtin sku barcode hsn sac grn rma umrn mandate micr swift cheque chq batch serial sr srno sno policyno
    complaintno requestid requestno receipt receiptno folio consumer meter roll rollno enrollment enrolment
    registration regn applicationno tokenno traceid uuid guid sessionid userid customerid custid productid itemid
    deviceid jobid timestamp epoch createdat updatedat statement stmt esic ckyc tan gstn udyam checksum hash nonce
    संदर्भ सन्दर्भ ऑर्डर आर्डर बिल चालान टिकट इनवॉइस इनवॉयस ट्रांजैक्शन ट्रांजेक्शन लेनदेन यूटीआर रसीद पीएनआर आईडी
    क्रमसंख्या`,
  weak_reference: `case policy complaint request application app token session trace voucher coupon file page line row
    product item model sensor device job task node port pid build version rev commit form code key batchno lot po so
    sale booking reservation delivery loan fd rd emi membership member employee emp student seat flat plot pin pincode
    otp qr asin tag lan scheme claim agreement contract tender project department box bin slot slip memo note letter
    notice docs document entry record counter tracker index offset badge locker asset unit register ledger
    पॉलिसी शिकायत आवेदन कोड फाइल टोकन`,
  amount: `rs inr rupees rupee usd eur gbp dollars amount amt amounts balance bal baki total subtotal limit price cost worth
    value budget salary turnover revenue sum paise outstanding qty quantity stock count रु रुपये रुपए रुपया रूपये रूपए राशि
    रकम शेष बैलेंस कुल मूल्य`,
};

/** People and places whose "number" is a phone. Every other unknown noun before "number" names a number of its own. */
export const PEOPLE = `customer customers client user office home house work shop store emergency wife husband papa father mother mummy
    mom dad bhai bhaiya brother sister didi son daughter friend manager guardian nominee beneficiary applicant borrower
    payee driver agent owner landlord tenant vendor supplier dealer staff reception doctor father's mother's wife's
    husband's customer's client's cust sender receiver recipient admin support care ग्राहक पिता माता पत्नी पति भाई बहन`;

/** Words that tie a label to its number without saying anything themselves. */
export const TIES = `no nos num number numbers numb permanent nbr nr nmbr nambar number's is was are be as equals eq the of a an my our your his
    her their its this that it mera meri mere hamara hamari hamare aapka apka aapki apki uska uski unka unki iska tera tumhara
    ka ki ke hai h hain he tha thi new naya nayi naye old purana purani current currently savings saving salary primary
    secondary alternate alt joint bank banks detail details name naam holder type sankhya sankhyaa kramank full correct
    registered linked updated latest personal same ye yeh yah ji only bhi wala wali vala here given below following
    नंबर नम्बर नंबर: संख्या क्रमांक सं न नं है हैं हे था थी मेरा मेरी मेरे हमारा हमारी आपका आपकी उसका उसकी उनका इनका
    का की के यह ये इस उस इसी उसी नया नई नये पुराना बैंक बचत चालू नाम जी सही वाला`;

/** Words for "number": with nothing else to go by, they are a faint label of their own. */
export const NUMBER_WORDS = "no num number numbers nbr nmbr nambar नंबर नम्बर संख्या क्रमांक नं";

/** Words that lead away from a label: "amount to 98…" is no amount. They cost nothing but end its grip. */
export const PREPOSITIONS = `to in into for from me mein mai main pe par per se ko with by via through under against और में पर से को`;

/** Before a number, and after an account word, these announce a moment. */
export const TIME_WORDS = "at on since until till before after created modified dated date time opened_at";

/** Words that join items of one list. */
export const CONNECTORS = "and or aur ya nor n then to also as well और या तथा एवं व";

/** Short forms whose full stop ends no sentence. */
export const ABBREVIATIONS = `no nos num nr ac a/c acc acct ph tel mob cell ref rs inr sr inv txn trans ord bal amt tkt regn reg emp cust dt
    mr mrs ms dr st smt shri govt ltd pvt नं सं मो रु c`;

/** After a number these make it a quantity. */
export const UNITS = `paise paisa rupees rupee rs inr usd dollars euro euros lakh lakhs lac lacs crore crores cr million billion
    thousand hundred bytes byte kb mb gb tb ms msec millis milliseconds sec secs seconds minutes mins hours ns us units unit
    grams gram gm gms kg kgs km kms metres meters litres liters rows records users people views hits requests tokens
    steps shares votes pieces pcs tonnes tons points boxes cartons bags nos items entries events px
    रुपये रुपए रुपया रूपये पैसे लाख करोड़ करोड हजार हज़ार`;

/** Before "account" these make it one of a computer, not of a bank. */
export const OTHER_ACCOUNT_OWNERS = `aws amazon azure gcp cloud google gmail email github gitlab netflix twitter instagram facebook linkedin
    telegram discord slack steam apple microsoft user login service storage`;

/** Banks by the names people use. Beside an account they are ties; before a code they say that it is an IFSC. */
export const BANKS = `bank banks branch sbi hdfc icici axis pnb bob canara kotak idfc indusind union boi iob uco rbl federal
  bandhan idbi yes citi hsbc बैंक शाखा`;
