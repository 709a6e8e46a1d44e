from petard._petard import *
