-- Who had an experience is compared by a name of composed letters, however it was written.
update vcontract.bridge_record set
    experiencer_folded = normalize(experiencer_folded, nfc),
    experiencers = array(select normalize(u.name, nfc) from unnest(experiencers) with ordinality u (name, n) order by u.n)
where experiencer_folded is not nfc normalized or array_to_string(experiencers, ' ') is not nfc normalized;
