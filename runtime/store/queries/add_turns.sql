-- Store the turns of a vCon that was stored before turns were.
{turn.upsert}
