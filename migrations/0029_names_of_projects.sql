-- Names of projects are compared without case by a function of ours, and no search could use this index beside the folders.
drop index vcontract.transcript_project;
